"""Sources of a wiki: documents in folders, a blog with tags and comments.

    seed.py FOLDER"""

import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random

from texts import PEOPLE, documents, sections, slug

TAGS = ["syntax", "regex", "files", "unicode", "modules", "debugging", "platforms", "internals", "style", "threads", "sockets", "numbers"]


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def plain(text):
    """Without what the wiki would take for its own."""
    return text.replace("[[", "[ [").replace("<", "&lt;").replace("\\", "")


def main():
    source, chance = Path(sys.argv[1]), Random(13)
    docs = documents(38)
    put(source / "index.mdwn", "The manual as a wiki. Read the [[blog]] by its [[tags]], or begin with:\n\n" + "".join(f"* [[manual/{one.name}]]: {plain(one.title)}\n" for one in docs))
    put(source / "blog.mdwn", '[[!inline pages="page(blog/*) and !*/Discussion" show="10" rootpage="blog"]]\n\n'
        '[[!inline pages="page(blog/*) and !*/Discussion" archive="yes" feeds="no"]]\n\n'
        + "\n\n".join(f'[[!calendar pages="page(blog/*) and !*/Discussion" type="year" year="{year}"]]' for year in (2025, 2026)) + "\n")
    put(source / "tags.mdwn", '[[!pagestats pages="tags/*"]]\n')
    for number, one in enumerate(docs):
        folder = source / "manual"
        parts = [f"{one.name}/{slug(section.heading)}" for section in one.sections[:2]]
        text = "\n\n".join(f"## {plain(section.heading)}\n\n" + "\n\n".join(plain(par)[:900] for par in section.paragraphs[:3]) for section in one.sections[:3])
        put(folder / f"{one.name}.mdwn", f'[[!meta title="{one.name}"]]\n{text}\n\nSee ' + ", ".join(f"[[manual/{part}]]" for part in parts)
            + f", [[manual/{docs[number - 3].name}]], [[unwritten{number % 9}]].\n\n[[!tag {TAGS[number % 12]} {TAGS[number % 7]}]]\n")
        for part, section in dict(zip(parts, one.sections)).items():
            put(folder / f"{part}.mdwn", f"# {plain(section.heading)}\n\n" + "\n\n".join(plain(par)[:1200] for par in section.paragraphs[:6]) + f"\n\nUp: [[{one.name}]].\n")
        if number % 3 == 0:
            put(folder / f"{one.name}/discussion.mdwn", "\n\n".join(f"{plain(par)[:300]} --{PEOPLE[number % 8]}" for par in one.sections[-1].paragraphs[:3]) + "\n")
    names = set()
    for number, (one, section) in enumerate(sections()):
        name = slug(section.heading)
        if name in names or len(names) == 120:
            continue
        day = date(2025, 2, 3) + timedelta(days=5 * len(names))
        names.add(name)
        put(source / f"blog/{name}.mdwn", f'[[!meta date="{day} 09:00:00 UTC"]]\n[[!meta author="{PEOPLE[number % 8]}"]]\n'
            + "\n\n".join(plain(par)[:1000] for par in section.paragraphs[:5])
            + f"\n\nMore of it in [[manual/{docs[number % 38].name}]].\n\n[[!tag {' '.join(chance.sample(TAGS, 2))}]]\n")
        for turn in range(len(names) % 4):
            said = plain(" ".join(section.paragraphs[turn % len(section.paragraphs)].split()[::-1][:50])).replace('"""', "")
            put(source / f"blog/{name}/comment_{turn + 1}._comment", f'[[!comment format=mdwn\n username="{PEOPLE[(number + turn) % 8]}"\n'
                f' subject="Of {name}"\n date="{day + timedelta(days=turn)}T10:00:00Z"\n content="""\n{said}\n"""]]\n')


main()
