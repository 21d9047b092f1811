"""Pages of the manual with their versions, as rows of the wiki's tables.

    seed.py DATABASE"""

import sqlite3
import sys

from texts import documents, slug

START = 1_640_995_200
MOST = 150
PEOPLE = ["ada", "bela", "carla", "dmitri", "edith", "femi"]


def main():
    docs = documents()
    pages = []
    for doc in docs:
        pages.append((f"Manual/{doc.name.capitalize()}", doc.title, doc.sections[:2]))
        for section in doc.sections[2:4]:
            pages.append((f"{doc.name.capitalize()}/{slug(section.heading).capitalize()[:30]}", f"{doc.name}: {section.heading}", [section]))
    pages = list({name: (name, title, parts) for name, title, parts in pages}.values())[:MOST]
    names = [name for name, _, _ in pages]
    with sqlite3.connect(sys.argv[1]) as base:
        for number, (name, title, parts) in enumerate(pages, 1):
            turns = 1 + number * number % 5
            for turn in range(1, turns + 1):
                text = [f"+ {title}"]
                for part in parts:
                    said = part.paragraphs[:turn + 2]
                    text += [f"++ {part.heading}", *(one[:1400].replace("[", "(").replace("]", ")").replace("``", "''") for one in said)]
                links = [names[(number * step + 3) % len(names)] for step in (2, 5, 11)[:1 + (number + turn) % 3]]
                text.append("++ See also\n" + "\n".join(f"* (({one}))" for one in links))
                when, who, what = START + number * 180_000 + turn * 400_000, PEOPLE[(number + turn) % 6], "more words" if turn > 1 else "first words"
                row = (number, name, "\n\n".join(text))
                if turn == turns:
                    base.execute("INSERT INTO wicked_pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, number * 7 % 90, when, who, what, turn))
                else:
                    base.execute("INSERT INTO wicked_history VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, when, who, what, turn))
        listed = "\n".join(f"* (({name}))" for name in names if name.startswith("Manual/"))
        for number, (name, text) in enumerate({"Wiki/Home": f"+ The manual\n\nAll of it:\n\n{listed}\n", "Wiki/Usage": "+ How to use it\n\nRead ((AllPages)), ((MostPopular)), ((LeastPopular)) or look at what is new.\n"}.items(), 900):
            base.execute("INSERT INTO wicked_pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (number, name, text, 5, START, "ada", "first words", 1))


main()
