"""Posts about the manual as files of Hexo: 420 in nine categories, some of them below others, with tags.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone
from random import Random

from texts import sections, slug

FOLDER = sys.argv[1]
CATEGORIES = (("Language", "Syntax"), ("Language", "Types"), ("Language",), ("Inside",), ("Inside", "Memory"), ("Text", "Regex"), ("Text",), ("Systems",), ("People",))
START = datetime(2022, 5, 2, 8, tzinfo=timezone.utc)
POSTS = 420
random = Random(47)


def plain(text):
    """Without what Markdown or the templates would take for theirs."""
    return "".join(f"&#{ord(letter)};" if letter in "<>{}*_`[]#|\\~" else letter for letter in text)


def main():
    time = START
    texts = [one for one in sections() if len(one[1].paragraphs) > 1]
    for number, (document, section) in enumerate(texts[:POSTS]):
        time += timedelta(hours=random.choice((9, 30, 52, 70, 100)))
        # Many tags are of one document, and some of those have one post.
        tags = sorted({document.name, *(word for word in slug(section.heading).split("-") if len(word) > 5 and number % 3), *random.sample(("howto", "note", "history", "portable", "careful"), number % 3)})
        paragraphs = [plain(paragraph.removeprefix("* ")) for paragraph in section.paragraphs[:7]]
        if number % 2:
            paragraphs.insert(1, "<!-- more -->")
        lines = ["---", f'title: "{plain(section.heading)}"', f"date: {time:%Y-%m-%d %H:%M:%S}", "categories:", *(f"- {one}" for one in CATEGORIES[number * 5 % len(CATEGORIES)]), "tags:", *(f"- {tag}" for tag in tags), "---", "\n\n".join(paragraphs)]
        path = os.path.join(FOLDER, "source", "_posts", f"{slug(section.heading)}-{number}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


main()
