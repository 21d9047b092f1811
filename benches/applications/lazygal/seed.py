"""620 photos in folders of years and journeys, each with what its camera wrote down and a few sentences.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta

import gi
from PIL import Image

gi.require_version("GExiv2", "0.10")
from gi.repository import GExiv2

from texts import PEOPLE, sections

FOLDER = sys.argv[1]
PLACES = ("Harbour", "Old town", "Mountains", "Island", "Garden", "Market", "Lake", "Forest", "Coast", "Museum", "River", "Festival", "Winter", "Station", "Castle", "Valley")
WORDS = ("light", "people", "water", "stone", "trees", "birds", "night", "boats", "bridges", "clouds")
EVERY = sections()
FIRST = datetime(2019, 4, 6, 9)


def written(text, *path):
    with open(os.path.join(FOLDER, *path), "w", encoding="utf-8") as file:
        file.write(text + "\n")


def photo(path, number, taken, text):
    high = number % 5 == 0
    size = (480, 640) if high else (640, 480)
    Image.linear_gradient("L").resize(size).convert("RGB").point([(value * (1 + (number >> part) % 3) // 2 + part * 40) % 256 for part in range(3) for value in range(256)]).save(path)
    told = GExiv2.Metadata(path)
    for name, value in (
        ("Exif.Image.Make", ("Alba", "Bora")[number % 2]), ("Exif.Image.Model", f"Model {number % 7}"), ("Exif.Photo.DateTimeOriginal", f"{taken:%Y:%m:%d %H:%M:%S}"),
        ("Exif.Photo.ExposureTime", f"1/{60 + number * 7 % 400}"), ("Exif.Photo.FNumber", f"{18 + number % 9 * 8}/10"), ("Exif.Photo.FocalLength", f"{20 + number % 60}/1"),
        ("Exif.Photo.ISOSpeedRatings", str(100 * (1 + number % 8))), ("Exif.Image.Artist", PEOPLE[number % len(PEOPLE)]),
        ("Iptc.Application2.Keywords", WORDS[number % len(WORDS)]),
    ):
        told.set_tag_string(name, value)
    told.save_file(path)
    with open(path + ".comment", "w", encoding="utf-8") as file:
        file.write(text + "\n")


def main():
    number = 0
    for year in range(2019, 2025):
        for turn in range(5):
            journey = f"{turn + 1:02}-{PLACES[(year * 5 + turn) % len(PLACES)].lower().replace(' ', '-')}"
            os.makedirs(os.path.join(FOLDER, str(year), journey))
            doc, section = EVERY[year * 7 % 300 + turn]
            written(f"{PLACES[(year * 5 + turn) % len(PLACES)]} {year}", str(year), journey, "album-name")
            written(section.paragraphs[0][:500], str(year), journey, "album-description")
            for _ in range(8 + (year + turn * 5) % 26):
                doc, section = EVERY[number + 400]
                taken = FIRST.replace(year=year) + timedelta(days=turn * 40, hours=number % 90)
                photo(os.path.join(FOLDER, str(year), journey, f"img_{number:04}.jpg"), number, taken, f"{section.heading}. {' '.join(section.paragraphs)[:120 + number * 37 % 500]}")
                number += 1
        written(f"The year {year}", str(year), "album-name")


main()
