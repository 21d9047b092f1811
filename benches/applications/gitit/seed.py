"""A wiki in a repository of git: 72 pages about the manual with what was changed of them, and some that are talked about.

    seed.py FOLDER"""

import subprocess
import sys
from datetime import datetime, timedelta
from random import Random

from texts import PEOPLE, documents

START = datetime(2024, 3, 4, 8)
KINDS = ["guide", "reference", "internals", "platforms", "history", "syntax"]
random = Random(23)
commits, marks = [], [0]


def escaped(text):
    return "".join("\\" + one if one in "\\`*_{}[]<>#|~^$@" else one for one in text)


def page(doc, parts, others, number):
    """As it is written: a head with categories, sections, and links to other pages."""
    lines = ["---", f"title: {doc.name}", f"categories: {KINDS[number % 6]} {KINDS[number * 7 // 3 % 6]}", "...", "", escaped(doc.title) + ".", ""]
    for section, paragraphs in parts:
        lines += [f"## {escaped(section.heading)}", ""]
        for paragraph in paragraphs:
            lines += [escaped(paragraph.lstrip("* ")[:1200]), ""]
    lines += ["See also " + ", ".join(f"[{other}](/{other})" for other in others) + ".", ""]
    return "\n".join(lines)


def commit(path, text, who, when, why):
    """One for git's fast-import."""
    name = PEOPLE[who % 8]
    stamp = f"{name} <{name.split()[0].lower()}@example.org> {int((when - datetime(1970, 1, 1)).total_seconds())} +0000"
    body, note = text.encode(), why.encode()
    marks[0] += 1
    commits.append((when, b"mark :%d\n" % marks[0] + f"author {stamp}\ncommitter {stamp}\ndata {len(note)}\n".encode() + note
                    + f"\nM 100644 inline \"{path}\"\ndata {len(body)}\n".encode() + body + b"\n"))


def main(folder):
    docs = [doc for doc in documents() if sum(len(part.paragraphs) for part in doc.sections) > 8][:72]
    names = [(f"{KINDS[number % 6].title()}/" if number % 4 == 1 else "") + doc.name for number, doc in enumerate(docs)]
    for number, doc in enumerate(docs):
        others = [names[(number * step + 1) % 72] for step in (2, 5, 9)]
        parts = [(section, section.paragraphs[:4]) for section in doc.sections[:6]]
        when = START + timedelta(hours=5 * number)
        revisions = 2 + number * number % 6
        for turn in range(revisions):
            shown = parts[:max(2, len(parts) - revisions + turn + 1)]
            if turn % 2 and turn + 1 < revisions:
                shown = [(section, paragraphs[:-1] or paragraphs) for section, paragraphs in shown]
            text = page(doc, shown, others[:1 + turn % 3], number)
            commit(f"{names[number]}.page", text, number + turn * 3, when + timedelta(hours=61 * turn),
                   "First version" if turn == 0 else ("Shorter", "More of it", "Links")[turn % 3])
        if number % 5 == 2:
            said = "\n\n".join(escaped(section.paragraphs[0][:500]) for section in docs[(number + 30) % 72].sections[:3])
            parent, _, last = names[number].rpartition("/")
            commit((parent + "/" if parent else "") + f"@{last}.page", said, number + 1, when + timedelta(hours=90), "A question")
    front = ["Pages about the manual:", "", *(f"- [{name}](/{name})" for name in names[::3]), ""]
    commit("Front Page.page", "\n".join(front), 0, START - timedelta(hours=2), "Front page")
    commit("Help.page", "How to write a page is told in [perlpod](/perlpod) and [perlpodstyle](/perlpodstyle).\n", 0, START - timedelta(hours=1), "Help")
    subprocess.run(["git", "init", "-q", "-b", "master", folder], check=True)
    ordered = sorted(commits, key=lambda one: one[0])
    stream = b"".join(b"commit refs/heads/master\n" + body for _, body in ordered)
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input=stream, check=True)
    subprocess.run(["git", "-C", folder, "reset", "-q", "--hard"], check=True)
    for pair in ("user.name=Keeper", "user.email=keeper@example.org"):
        subprocess.run(["git", "-C", folder, "config", *pair.split("=")], check=True)


main(sys.argv[1])
