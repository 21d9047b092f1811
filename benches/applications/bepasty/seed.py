"""Texts about the manual, left by many.

    seed.py FOLDER"""

import sys
from hashlib import sha256
from random import Random

from bepasty.storage.filesystem import Storage
from texts import sections, slug

START = 1_704_700_000
TEXTS, LISTS = 330, 24
LETTERS = "abcdefghjkmnopqrstuvwxyzACDEFGHJKLMNPQRTUVWXYZ234679"
random = Random(17)
storage = Storage(sys.argv[1])


def leave(number, name, kind, text):
    """Its identity."""
    data, identity = text.encode(), "".join(random.choice(LETTERS) for _ in range(8))
    with storage.create(identity, len(data)) as item:
        item.data.write(data, 0)
        time = START + number * 7193
        item.meta.update({"filename": name, "type": kind, "size": len(data), "hash": sha256(data).hexdigest(), "complete": True, "locked": False, "timestamp-upload": time,
                          "timestamp-download": time + 40, "timestamp-max-life": 0})
    return identity


def main():
    left, texts = [], []
    for number, (doc, section) in enumerate(sections()[:TEXTS]):
        paragraphs = section.paragraphs[:8]
        if number % 9 == 8:
            paragraphs = texts[random.randrange(len(texts))]
        elif number % 13 == 12:
            paragraphs = [*texts[random.randrange(len(texts))], f"Seen again with {doc.name}."]
        texts.append(paragraphs)
        if number % 5 == 1:
            name, kind, text = f"{slug(section.heading)}.md", "text/x-markdown", f"# {section.heading}\n\n" + "\n\n".join(paragraphs) + "\n"
        elif number % 5 == 3:
            name, kind, text = f"{slug(section.heading)}.pl", "text/x-perl", "".join(f"# {paragraph[:300]}\nsub part_{place} {{ return {len(paragraph)} }}\n\n" for place, paragraph in enumerate(paragraphs))
        else:
            name, kind, text = f"{slug(section.heading)}.txt", "text/plain", "\n\n".join(paragraphs) + "\n"
        left.append(leave(number, name, kind, text))
    for number in range(LISTS):
        leave(TEXTS + number, f"list-{number}.txt", "text/x-bepasty-list", "".join(f"{one}\n" for one in random.sample(left, 5 + number % 7)))


main()
