"""A library of Calibre: 260 books made of sections of the manual.

    seed.py FOLDER"""

import os
import sqlite3
import sys
import uuid
from datetime import datetime, timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, sections

SCHEMA = """
CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE, sort TEXT COLLATE NOCASE,
  timestamp TIMESTAMP, pubdate TIMESTAMP, series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT COLLATE NOCASE, isbn TEXT DEFAULT '',
  lccn TEXT DEFAULT '', path TEXT NOT NULL DEFAULT '', flags INTEGER NOT NULL DEFAULT 1, uuid TEXT, has_cover BOOL DEFAULT 0,
  last_modified TIMESTAMP);
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE, sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE, sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE publishers (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE, sort TEXT COLLATE NOCASE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE languages (id INTEGER PRIMARY KEY, lang_code TEXT NOT NULL COLLATE NOCASE UNIQUE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE ratings (id INTEGER PRIMARY KEY, rating INTEGER UNIQUE, link TEXT NOT NULL DEFAULT '');
CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER NOT NULL UNIQUE, text TEXT NOT NULL COLLATE NOCASE);
CREATE TABLE data (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE, uncompressed_size INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE identifiers (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, type TEXT NOT NULL DEFAULT 'isbn' COLLATE NOCASE, val TEXT NOT NULL COLLATE NOCASE);
CREATE TABLE custom_columns (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT, name TEXT, datatype TEXT, mark_for_delete BOOL DEFAULT 0,
  editable BOOL DEFAULT 1, display TEXT DEFAULT '{}', is_multiple BOOL DEFAULT 0, normalized BOOL);
CREATE TABLE metadata_dirtied (id INTEGER PRIMARY KEY, book INTEGER NOT NULL UNIQUE);
CREATE TABLE library_id (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE);
"""
LINKS = {"authors": "author", "tags": "tag", "series": "series", "publishers": "publisher", "languages": "lang_code", "ratings": "rating"}
TAGS = ["guide", "reference", "questions", "platforms", "syntax", "modules", "history", "internals", "files", "regular expressions"]


def main(folder):
    base = sqlite3.connect(f"{folder}/metadata.db")
    base.executescript(SCHEMA)
    for table, column in LINKS.items():
        base.execute(f"CREATE TABLE books_{table}_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, {column} INTEGER NOT NULL)")
    base.execute("INSERT INTO library_id (uuid) VALUES (?)", (str(uuid.UUID(int=1)),))
    people = PEOPLE + [f"{one.split()[0]} {other.split()[1]}" for step in (1, 3, 5) for one, other in zip(PEOPLE, PEOPLE[step:] + PEOPLE[:step])]
    for name in people:
        base.execute("INSERT INTO authors (name, sort) VALUES (?, ?)", (name, ", ".join(reversed(name.split()))))
    base.executemany("INSERT INTO tags (name) VALUES (?)", [(tag,) for tag in TAGS])
    base.executemany("INSERT INTO series (name, sort) VALUES (?, ?)", [(doc.title, doc.title) for doc in documents(60)[5:35:2]])
    base.executemany("INSERT INTO publishers (name, sort) VALUES (?, ?)", [(name, name) for name in ("Print house", "Leaf and Sons", "Old Press", "Manual Books")])
    base.executemany("INSERT INTO languages (lang_code) VALUES (?)", [("eng",), ("deu",), ("fra",)])
    base.executemany("INSERT INTO ratings (rating) VALUES (?)", [(stars,) for stars in (2, 4, 6, 8, 10)])
    for number in range(1, 261):
        _, section = BOOKS[number]
        writer = number * 7 % len(people)
        added = datetime(2023, 1, 5) + timedelta(hours=29 * number)
        base.execute("INSERT INTO books (id, title, sort, timestamp, pubdate, series_index, author_sort, path, uuid, last_modified) VALUES (?,?,?,?,?,?,?,?,?,?)", (
            number, f"{section.heading} {number}"[:90], section.heading[:90], added.isoformat(" "), (added - timedelta(days=number * 9)).isoformat(" "),
            1 + number % 6, ", ".join(reversed(people[writer].split())), f"{people[writer]}/{number}", str(uuid.UUID(int=number + 10)), added.isoformat(" ")))
        base.execute("INSERT INTO comments (book, text) VALUES (?, ?)", (number, "".join(f"<p>{par.replace('<', '&lt;')[:900]}</p>" for par in section.paragraphs[:3])))
        base.execute("INSERT INTO data (book, format, uncompressed_size, name) VALUES (?, ?, ?, ?)", (number, ["EPUB", "PDF", "TXT"][number % 3], number * 4321, f"book{number}"))
        base.execute("INSERT INTO books_authors_link (book, author) VALUES (?, ?)", (number, writer + 1))
        for step in range(1 + number % 3):
            base.execute("INSERT INTO books_tags_link (book, tag) VALUES (?, ?)", (number, (number + step * 3) % len(TAGS) + 1))
        base.execute("INSERT INTO books_publishers_link (book, publisher) VALUES (?, ?)", (number, number % 4 + 1))
        base.execute("INSERT INTO books_languages_link (book, lang_code) VALUES (?, ?)", (number, 1 if number % 5 else number % 3 + 1))
        if number % 2:
            base.execute("INSERT INTO books_ratings_link (book, rating) VALUES (?, ?)", (number, number % 5 + 1))
        if number % 3 == 0:
            base.execute("INSERT INTO books_series_link (book, series) VALUES (?, ?)", (number, number // 3 % 15 + 1))
    base.commit()


BOOKS = sections()
main(sys.argv[1])
