"""Texts to fill applications with: the Perl manual (Debian's package perl-doc), in the same order each time.

    python3 texts.py [COUNT]    # prints the documents as JSON, a line each"""

import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from random import Random
from textwrap import fill

ESCAPES = {"lt": "<", "gt": ">", "verbar": "|", "sol": "/"}
PEOPLE = ["Ada Lind", "Bela Farkas", "Carla Rossi", "Dmitri Orlov", "Edith Baker", "Femi Ojo", "Greta Holm", "Hugo Petit"]


@dataclass
class Section:
    heading: str
    paragraphs: list = field(default_factory=list)


@dataclass
class Document:
    name: str
    title: str
    sections: list = field(default_factory=list)

    def text(self, sections=None):
        """As plain text, 78 characters a line."""
        parts = [f"{self.name} - {self.title}"]
        for section in self.sections[:sections]:
            parts += [section.heading.upper(), *(fill(one, 78) for one in section.paragraphs)]
        return "\n\n".join(parts) + "\n"


def logins(count):
    """Names under which so many people enter: the first names of the eight, then again with a number."""
    return [PEOPLE[number % 8].split()[0].lower() + (str(number // 8) if number >= 8 else "") for number in range(count)]


def plain(text):
    """Without POD's formatting codes."""
    def inner(match):
        code, content = match.group(1), match.group(2)
        if code == "E":
            return ESCAPES.get(content, "")
        if code in "XZ":
            return ""
        return content.split("|")[0] if code == "L" else content

    text = re.sub(r"([A-Z])<<+ (.*?) >>+", inner, text, flags=re.S)
    while (less := re.sub(r"([A-Z])<([^<>]*)>", inner, text)) != text:
        text = less
    return " ".join(text.split())


def document(path):
    """A manual page, or None where it has next to nothing to read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        blocks = re.split(r"\n\s*\n", file.read())
    made = Document(path.rsplit("/", 1)[1].removesuffix(".pod"), "")
    for block in blocks:
        command = re.match(r"\s*=(head[12]|item)\s+(.*)", block, re.S)
        if command and command.group(1) != "item":
            made.sections.append(Section(plain(command.group(2))[:90]))
        elif command and made.sections:
            made.sections[-1].paragraphs.append("* " + plain(command.group(2)))
        elif made.sections and not block.lstrip("\n").startswith((" ", "\t", "=")) and (words := plain(block)):
            made.sections[-1].paragraphs.append(words)
    if made.sections and made.sections[0].heading == "NAME" and made.sections[0].paragraphs:
        made.title = made.sections.pop(0).paragraphs[0].split(" - ")[-1][:90]
    made.sections = [one for one in made.sections if sum(map(len, one.paragraphs)) > 200]
    return made if made.title and len(made.sections) > 2 else None


def documents(count=None):
    """The manual's pages, without those that tell what is new."""
    listed = subprocess.run(["dpkg", "-L", "perl-doc"], check=True, capture_output=True, text=True).stdout
    paths = sorted(path for path in listed.split() if re.search(r"/perl(?!.*delta)[a-z0-9]*\.pod$", path))
    made = [one for path in paths if (one := document(path))]
    return made[:count]


def sections():
    """All sections, as (document, section), mixed but always alike."""
    every = [(one, section) for one in documents() for section in one.sections]
    Random(7).shuffle(every)
    return every


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "x"


if __name__ == "__main__":
    for one in documents(int(sys.argv[1]) if len(sys.argv) > 1 else None):
        print(json.dumps(asdict(one)))
