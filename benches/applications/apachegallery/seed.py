"""Photos in folders of journeys, each with a comment of a title and some sentences.

    seed.py FOLDER"""

import os
import sys

from PIL import Image

from texts import PEOPLE, sections

FOLDER = sys.argv[1]
PLACES = ("Harbour", "Old_town", "Mountains", "Island", "Garden", "Market", "Lake", "Forest", "Coast")
PHOTOS = (17, 24, 9, 31, 14, 20, 12, 26, 7)
EVERY = sections()


def written(text, *path):
    with open(os.path.join(FOLDER, *path), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def photo(folder, name, number):
    size = (1200, 1600) if number % 5 == 0 else (1600, 1200)
    path = os.path.join(FOLDER, folder, name)
    Image.linear_gradient("L").resize(size).convert("RGB").point([(value * (1 + (number >> part) % 3) // 2 + part * 40) % 256 for part in range(3) for value in range(256)]).save(path)
    os.utime(path, (1640000000 + number * 50000,) * 2)
    doc, section = EVERY[number + 900]
    written(f"TITLE: {section.heading}\n{' '.join(section.paragraphs)[:160 + number * 53 % 700]}<br />\nSeen by {PEOPLE[number % len(PEOPLE)]}.", folder, name + ".comment")


def main():
    number = 0
    for year, places in ((2022, PLACES[:4]), (2023, PLACES[4:7]), (2024, PLACES[7:])):
        os.makedirs(os.path.join(FOLDER, str(year)))
        for place in places:
            folder = f"{year}/{place}"
            os.makedirs(os.path.join(FOLDER, folder))
            written(f"TITLE: {place.replace('_', ' ')} in {year}\n{EVERY[number + 40][1].paragraphs[0][:600]}", folder + ".comment")
            for _ in range(PHOTOS[PLACES.index(place)]):
                photo(folder, f"dsc_{1000 + number * 3}.jpg", number)
                number += 1


main()
