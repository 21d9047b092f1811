"""Bookmarks of pages of the manual and of what it tells of.

    seed.py DATABASE"""

import sys

from buku import BukuDb
from texts import sections, slug

TAGS = ["syntax", "regex", "unicode", "build", "modules", "objects", "threads", "debugging", "input", "output", "numbers", "strings", "hashes", "arrays", "files", "history", "platforms",
        "testing", "style", "security", "speed", "questions", "to read", "tutorial"]
HOSTS = ["perldoc.example.org", "docs.example.net", "wiki.example.com", "blog.example.org", "lists.example.net", "code.example.com"]

base = BukuDb(dbfile=sys.argv[1])
for number, (doc, section) in enumerate(sections()[:460]):
    tags = sorted({TAGS[(number * 5 + step * step * 7) % 24] for step in range(number % 4)})
    host = HOSTS[number * number % 6]
    base.add_rec(f"https://{host}/{doc.name}/{slug(section.heading)}-{number}", f"{section.heading[:80]} ({doc.name})", "," + ",".join(tags) + "," if tags else ",",
                 section.paragraphs[0][:400] if number % 3 else "", fetch=False, delay_commit=True)
base.conn.commit()
