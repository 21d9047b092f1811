"""Pages of a wiki as commits of a repository: documents of the manual, and their sections below them, with histories.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone

import git
from texts import PEOPLE, documents, slug

START = datetime(2024, 3, 1, 9, tzinfo=timezone.utc)
DOCS = documents(32)
made = 0


def put(repository, name, text, said):
    """A revision of a page; the same each time, so that its number is."""
    global made
    made += 1
    path = os.path.join(repository.working_dir, f"{name}.md")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    repository.index.add([f"{name}.md"])
    who = PEOPLE[made * 5 % 8]
    actor = git.Actor(who, f"{who.split()[0].lower()}@example.org")
    moment = START + timedelta(hours=7 * made, minutes=made * 13 % 60)
    repository.index.commit(said, author=actor, committer=actor, author_date=moment, commit_date=moment)


def title(doc):
    return doc.name.capitalize()


def text_of(section):
    paragraphs = [one[:1200] for one in section.paragraphs[:5]]
    return "\n\n".join(f"```\n{one}\n```" if number == 2 else one.replace("[[", "[") for number, one in enumerate(paragraphs))


def main():
    repository = git.Repo.init(sys.argv[1], initial_branch="main")
    put(repository, "Home", "# The manual\n\n" + "".join(f"* [[{title(doc)}]]: {doc.title}\n" for doc in DOCS), "All pages")
    for number, doc in enumerate(DOCS):
        parts = {f"{title(doc)}/{slug(section.heading)}": section for section in doc.sections[2:5]}
        links = ", ".join(f"[[{part}]]" for part in parts)
        for turn in range(min(1 + number % 5, len(doc.sections) - 1)):
            text = f"# {doc.title}\n\n" + "\n\n".join(f"## {one.heading}\n\n{text_of(one)}" for one in doc.sections[:1 + turn])
            put(repository, title(doc), f"{text}\n\nSee [[{title(DOCS[(number + 3) % 32])}]], [[Unwritten{number % 6}]], {links}\n",
                f"More about {doc.sections[turn].heading}"[:60] if turn else "Begun")
        for place, (part, section) in enumerate(parts.items()):
            put(repository, part, f"# {section.heading}\n\n{text_of(section)}\n\nUp: [[{title(doc)}]]\n", "A part")
            if (number + place) % 3 == 0:
                put(repository, part, f"# {section.heading}\n\n{text_of(section)}\n\nUp: [[{title(doc)}]], and see [[Home]]\n", "A link")


main()
