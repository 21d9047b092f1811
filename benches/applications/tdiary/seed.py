"""A diary of three years: two days of three are written up, each in one to three sections of the manual, with what visitors said.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, sections

LAST = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
DAYS = 1000
KINDS = ["guide", "reference", "platforms", "questions", "syntax", "modules"]
EVERY = sections()


def line(text):
    """A paragraph: nothing in it may begin a block or a link of the style."""
    return text.replace("[[", "[ [").replace("{{", "{ {").replace("<%", "< %").lstrip("!*#:,\"> \t-|")[:800]


def entry(number, day):
    parts = []
    for turn in range(1 + number % 3):
        doc, section = EVERY[(number * 2 + turn * 331) % len(EVERY)]
        parts.append(f"! [{KINDS[(number + turn * turn) % 6]}] {line(doc.name + ': ' + section.heading)}\n")
        parts += [line(one) + "\n" for one in section.paragraphs[:3]]
    body = "\n".join(parts)
    return (f"Date: {day:%Y%m%d}\nTitle: {line(EVERY[number % len(EVERY)][1].heading)}\nLast-Modified: {int(day.timestamp())}\nVisible: true\n"
            f"Format: Wiki\n\n{body}\n.\n")


def comments(number, day):
    for turn in range(number % 4):
        body = line(EVERY[(number * 5 + turn + 11) % len(EVERY)][1].paragraphs[0])[:400]
        yield (f"Date: {day:%Y%m%d}\nName: {PEOPLE[(number + turn) % 8]}\nMail: \n"
               f"Last-Modified: {int((day + timedelta(hours=3 + turn)).timestamp())}\nVisible: true\n\n{body}\n.\n")


def main(folder):
    months = {}
    for number in range(DAYS):
        day = LAST - timedelta(days=DAYS - number)
        if number % 3 != 2:
            said = months.setdefault(f"{day:%Y/%Y%m}", ([], []))
            said[0].append(entry(number, day))
            said[1].extend(comments(number, day))
    for name, (entries, said) in months.items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        for suffix, rows in ((".td2", entries), (".tdc", said)):
            with open(f"{folder}/{name}{suffix}", "w", encoding="utf-8") as file:
                file.write("TDIARY2.01.00\n" + "".join(rows))


main(sys.argv[1])
