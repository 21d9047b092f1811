"""190 pages of the manual in namespaces, as files with their versions; pictures of one colour.

    seed.py FOLDER"""

import gzip
import os
import struct
import sys
import zlib

from texts import PEOPLE, documents, logins, slug

START, STEP = 1_656_662_400, 61_203
SPACES = ["guide", "reference", "faq", "guide:platform", "reference:library"]
folder = sys.argv[1]
every, changes, pictures = [], [], []


def at(kind, name, ending):
    path = f"{folder}/{kind}/{name.replace(':', '/')}{ending}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def picture(name, number):
    size = 40 + number * 7
    rows = b"".join(b"\0" + bytes((number * 37 % 256, (x + y) % 256, number * 11 % 256))[:3] * 1 + bytes(3 * (size - 1)) for y in range(size) for x in (y,))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)
    path, when = at("media", name, ""), START + number * STEP
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, (when, when))
    line = f"{when}\t10.0.0.{number % 9}\tC\t{name}\t{people[number % 6]}\tcreated\t\t{len(data)}\n"
    with open(at("media_meta", name, ".changes"), "w", encoding="utf-8") as file:
        file.write(line)
    return when, line


def keep(name, versions, when, who):
    lines, before = [], 0
    for turn, (text, told) in enumerate(versions):
        moment = when + turn * 97_411
        size = len(text.encode())
        lines.append((moment, f"{moment}\t10.0.0.{(who + turn) % 9}\t{'E' if turn else 'C'}\t{name}\t{people[(who + turn) % 6]}\t{told}\t\t{size - before}\n"))
        before = size
        with gzip.GzipFile(at("attic", name, f".{moment}.txt.gz"), "wb", mtime=moment) as file:
            file.write(text.encode())
    path = at("pages", name, ".txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(versions[-1][0])
    os.utime(path, (lines[-1][0],) * 2)
    with open(at("meta", name, ".changes"), "w", encoding="utf-8") as file:
        file.writelines(line for _, line in lines)
    changes.extend(lines)


people = logins(6)
pages = []
for number, doc in enumerate(documents()):
    space = SPACES[number % 5]
    pages.append((f"{space}:{doc.name}", doc.title, doc.sections[:3], number))
    if number < 70:
        section = doc.sections[1]
        pages.append((f"{space}:{doc.name}:{slug(section.heading).replace('-', '_')}", f"{doc.name}: {section.heading}", [section], number))
pages = pages[:190]
names = [name for name, *_ in pages]
media = [picture(f"{['shots', 'plans', 'shots:small'][number % 3]}:picture_{number}.png", number) for number in range(30)]
shown = [line.split("\t")[3] for _, line in media]
with open(at("media_meta", "_media", ".changes").replace("_media.changes", "_media.changes"), "w", encoding="utf-8") as file:
    pass
with open(f"{folder}/meta/_media.changes", "w", encoding="utf-8") as file:
    file.writelines(line for _, line in sorted(media))
for number, (name, title, sections, doc) in enumerate(pages):
    turns = 1 + number * number % 6
    versions = []
    for turn in range(turns):
        parts = [f"====== {title} ======"]
        for section in sections:
            said = section.paragraphs[:2 + turn]
            if turn % 2 and turn + 1 < turns and len(said) > 1:
                said = said[1:]
            parts += [f"===== {section.heading} =====", *(one.removeprefix("* ")[:1500] for one in said)]
        if number % 3 != 1:
            parts.append(f"{{{{ :{shown[number * 7 % 30]} |a picture}}}}")
        links = [names[(number * step + 1) % len(names)] for step in (3, 7)[:1 + number % 2]]
        # Some that nobody has written.
        if number % 8 == 5:
            links.append(f"wanted:{slug(sections[-1].heading).replace('-', '_')}")
        parts.append("\n".join(f"  * [[:{link}]]" for link in links))
        versions.append(("\n\n".join(parts) + "\n", f"more on {title}"[:60] if turn else "created"))
    keep(name, versions, START + number * STEP, number)
for space in ["", *SPACES]:
    inside = [name for name in names if not space or name.startswith(space + ":")][:: 1 if space else 4]
    keep(f"{space}:start".lstrip(":"), [(f"====== {space or 'Manual'} ======\n\nWritten by {', '.join(PEOPLE)}.\n\n" + "".join(f"  * [[:{name}]]\n" for name in inside), "created")], START - 5000, 1)
with open(f"{folder}/meta/_dokuwiki.changes", "w", encoding="utf-8") as file:
    file.writelines(line for _, line in sorted(changes))
