"""Two databases of SQLite.

    seed.py FOLDER"""

import sqlite3
import sys
from random import Random

from texts import PEOPLE, documents, sections

random = Random(3)


def manual(path):
    with sqlite3.connect(path) as base:
        base.executescript("""
            CREATE TABLE pages (id INTEGER PRIMARY KEY, name TEXT, title TEXT, part TEXT, editor INTEGER REFERENCES people(id));
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, since TEXT);
            CREATE TABLE sections (id INTEGER PRIMARY KEY, page INTEGER REFERENCES pages(id), heading TEXT, text TEXT, words INTEGER, part TEXT);
            CREATE VIEW long_sections AS SELECT * FROM sections WHERE words > 300;""")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", [(n + 1, name, f"{2005 + n}-03-0{n + 1}") for n, name in enumerate(PEOPLE)])
        number = 0
        for place, doc in enumerate(documents(60), 1):
            part = ["guide", "reference", "faq", "platform"][place % 4]
            base.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", (place, doc.name, doc.title, part, place % 8 + 1))
            for section in doc.sections[:6]:
                number += 1
                text = " ".join(section.paragraphs)
                base.execute("INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?)", (number, place, section.heading, text[:400], len(text.split()), part))


def shop(path):
    with sqlite3.connect(path) as base:
        base.executescript("""
            CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, price REAL);
            CREATE TABLE sales (id INTEGER PRIMARY KEY, day TEXT, region TEXT, status TEXT, product INTEGER REFERENCES products(id),
                                amount INTEGER, note TEXT);""")
        named = sections()
        for number in range(1, 41):
            doc, section = named[number]
            base.execute("INSERT INTO products VALUES (?, ?, ?, ?)", (number, f"{section.heading[:40]}, printed", ["book", "leaf", "card"][number % 3],
                                                                     round(random.uniform(2, 60), 2)))
        for number in range(1, 301):
            base.execute("INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?)", (
                number, f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}", random.choice(["north", "south", "east", "west"]),
                random.choice(["open", "paid", "sent"]), random.randint(1, 40), random.randint(1, 9), named[number + 50][1].paragraphs[0][:80]))


manual(sys.argv[1] + "/manual.db")
shop(sys.argv[1] + "/shop.db")
