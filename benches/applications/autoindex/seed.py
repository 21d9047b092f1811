"""Folders of the manual's sections as plain text: a project for each document, its versions, and a link `latest`. With each version a section is
revised, and what has changed is told before what had.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone
from textwrap import fill

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import documents, sections

START = datetime(2023, 5, 1, 9, tzinfo=timezone.utc)
ROOT = sys.argv[1]


def put(path, text, moment):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, (moment.timestamp(),) * 2)


def main():
    folders, every = {}, sections()
    for number, doc in enumerate(documents(36)):
        for step in range(1 + number % 4):
            moment = START + timedelta(days=9 * number + 31 * step)
            folder = os.path.join(ROOT, ("guides", "reference", "platforms")[number % 3], doc.name, f"1.{step}")
            changes = [every[number * 11 + one] for one in range(step + 1)]
            for place, section in enumerate(doc.sections[:8 + 3 * step]):
                added = [one for at, (_, change) in enumerate(changes) if at == place + 1 for one in change.paragraphs[:4]]
                text = f"{section.heading.upper()}\n\n" + "\n\n".join(fill(one, 78) for one in section.paragraphs[:20] + added)
                put(os.path.join(folder, f"section-{place + 1:02}.txt"), f"{text}\n", moment - timedelta(hours=place * 7 % 5))
            text = "\n\n".join(f"1.{at}: {change.heading}\n" + fill(change.paragraphs[0], 78) for at, (_, change) in reversed([*enumerate(changes)]))
            put(os.path.join(folder, "CHANGES.txt"), f"{text}\n", moment)
            put(os.path.join(folder, "README.txt"), f"{doc.name} 1.{step}: {doc.title}\n", moment)
            folders[folder] = moment
        os.symlink(f"1.{step}", os.path.join(os.path.dirname(folder), "latest"))
    for folder, moment in folders.items():
        while folder != os.path.dirname(ROOT):
            os.utime(folder, (moment.timestamp(),) * 2)
            folder = os.path.dirname(folder)


main()
