"""Homes of three machines as they are at the time of a backup: texts of the manual in folders, some of which are new, grow, or go.

    seed.py FOLDER NUMBER"""

import os
import shutil
import sys

from texts import documents, sections, slug

HOSTS = ("alba", "bora", "cora")
FIRST, WEEK = 1_704_100_000, 604_800


def put(path, text, changed):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, (changed, changed))


def main(folder, backup):
    docs, every = documents(), sections()
    for place, host in enumerate(HOSTS):
        home = os.path.join(folder, host, "home")
        shutil.rmtree(home, ignore_errors=True)
        # A document a folder, a section a file; each fifth file is in all machines, as what is installed is.
        for number, doc in enumerate(docs[place * 12:place * 12 + 12]):
            within = os.path.join(home, ("ada", "bela", "carla")[number % 3], doc.name)
            for turn, section in enumerate(doc.sections[:3 + number % 4]):
                grown = 1 + (backup // 2 if (number + turn) % 6 == 0 else 0)
                put(os.path.join(within, slug(section.heading) + ".txt"), "\n\n".join([section.heading, *section.paragraphs[:4 * grown]]) + "\n",
                    FIRST + (number * 7 + turn) * 3600 + (grown - 1) * 2 * WEEK)
        for number in range(12):
            doc, section = every[number]
            put(os.path.join(home, "share", ("lib", "doc")[number % 2], f"{doc.name}-{number}.txt"), "\n\n".join(section.paragraphs[:9]) + "\n", FIRST + number)
        # Letters come, and the oldest go.
        for number in range(backup * 2, backup * 2 + 9):
            doc, section = every[100 + place * 60 + number]
            put(os.path.join(home, "ada", "mail", f"{number:03}.txt"), f"{section.heading}\n\n" + "\n\n".join(section.paragraphs[:5]) + "\n", FIRST + number * WEEK // 2)
    for path, _, names in os.walk(folder, topdown=False):
        os.utime(path, (FIRST, FIRST))


main(sys.argv[1], int(sys.argv[2]))
