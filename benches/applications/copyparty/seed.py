"""Files of a team: documents by part, in versions of which the last is linked as the one in force, and what came in.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone
from random import Random

from texts import documents, sections, slug

FOLDER = sys.argv[1]
PARTS = ("language", "functions", "modules", "inside", "systems")
START = datetime(2023, 2, 6, 9, tzinfo=timezone.utc)
random = Random(17)


def written(time, text, *place):
    path = os.path.join(FOLDER, *place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, (time.timestamp(), time.timestamp()))


def document(number, one):
    place = (PARTS[number % len(PARTS)], one.name)
    parts = one.sections[:9]
    for version in range(1, 3 + random.randrange(3)):
        time = START + timedelta(hours=61 * number, days=90 * version)
        for at, section in enumerate(parts):
            # What is new in a version is longer; of the rest a version has what the one before had.
            more = 5 + (version if (at + version) % 4 == 0 else 0)
            kind = "md" if at % 3 == 1 else "txt"
            written(time, f"{section.heading}\n\n" + "\n\n".join(section.paragraphs[:more]) + "\n", *place, f"v{version}", f"{at + 1:02}-{slug(section.heading)}.{kind}")
        written(time, f"# {one.title}\n\n{one.name}, version {version}.\n", *place, f"v{version}", "README.md")
    os.symlink(f"v{version}", os.path.join(FOLDER, *place, "in-force"))


def main():
    for number, one in enumerate(documents(44)):
        document(number, one)
    time = START
    for number, (one, section) in enumerate(sections()[:260]):
        time += timedelta(hours=random.choice((9, 26, 40, 70)))
        text = f"{section.heading} ({one.name})\n\n" + "\n\n".join(section.paragraphs[:8]) + "\n"
        written(time, text, "inbox", time.strftime("%Y"), time.strftime("%m"), f"{time:%d}-{slug(section.heading)}-{number}.txt")


main()
