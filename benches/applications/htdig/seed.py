"""A manual in three parts as files, with words to look for.

    seed.py FOLDER"""

import os
import re
import sys
from collections import Counter
from html import escape

from texts import documents, sections, slug

PARTS = ("guide", "reference", "faq")
PAGES, WORDS = 620, 260
FOLDER = sys.argv[1]
FIND = "/cgi-bin/htsearch"


def written(path, title, body):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<html><head><title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>\n{body}\n<p><a href="/">Contents</a> <a href="/words/">Words</a></p></body></html>\n')


def main():
    every, met = sections()[:PAGES], Counter()
    for _, section in every:
        met.update(set(re.findall(r"\b[a-z]{5,12}\b", " ".join(section.paragraphs))))
    words = sorted(word for word, count in met.items() if 6 <= count <= 140)
    words = words[::max(1, len(words) // WORDS)][:WORDS]
    listed = {part: [] for part in PARTS}
    for number, (doc, section) in enumerate(every):
        part = PARTS[2 if "faq" in doc.name else number % 2]
        name, title = f"{slug(section.heading)}-{number}.html", f"{doc.name}: {section.heading}"
        here = [word for word in words if re.search(rf"\b{word}\b", " ".join(section.paragraphs))][number % 3:][:5]
        body = "".join(f"<p>{escape(one[:1500])}</p>\n" for one in section.paragraphs[:8])
        body += "<ul>" + "".join(f'<li>{word}: <a href="{FIND}?config=htdig;words={word}">everywhere</a>, <a href="{FIND}?config=htdig;restrict=/{part}/;words={word}">in this part</a></li>' for word in here) + "</ul>"
        written(f"{part}/{name}", title, body)
        listed[part].append((name, title))
    for part, names in listed.items():
        written(f"{part}/index.html", part.capitalize(), "<ul>" + "".join(f'<li><a href="{name}">{escape(title)}</a></li>' for name, title in names) + "</ul>")
    written("index.html", "A manual", "<p>" + " ".join(f'<a href="/{part}/">{part.capitalize()}</a>' for part in PARTS) + "</p>"
            + "".join(f"<p>{escape(doc.name)}: {escape(doc.title)}</p>" for doc in documents()))
    written("words/index.html", "Words", "<p>" + " ".join(f'<a href="{FIND}?config=htdig;method=and;words={word}">{word}</a>' for word in words) + "</p>")


main()
