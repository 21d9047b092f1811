"""A library of 420 books, articles and reports, as Zotero would tell of it."""

import sys
from html import escape
from random import Random

from kerko.sync import zotero
from kerko.sync.cache import sync_cache
from kerko.sync.index import sync_index
from texts import sections

from catalogue import create_app

FIRST = ["Ada", "Bela", "Carla", "Dmitri", "Edith", "Femi", "Greta", "Hugo", "Ines", "Jan", "Kim", "Lena"]
LAST = ["Lind", "Farkas", "Rossi", "Orlov", "Baker", "Ojo", "Holm", "Petit", "Costa", "Novak", "Larsen", "Meyer", "Silva", "Tanaka", "Weber", "Haas", "Moreau", "Kowalski"]
TAGS = ["syntax", "regex", "unicode", "build", "modules", "objects", "threads", "debugging", "input", "output", "numbers", "strings", "hashes", "arrays", "files", "history", "platforms", "testing"]
TYPES = {"book": "Book", "journalArticle": "Journal Article", "report": "Report", "thesis": "Thesis", "conferencePaper": "Conference Paper"}
SUBJECTS = {"Language": ["Grammar", "Data", "Text"], "Library": ["Networks", "Storage"], "Practice": ["Teaching", "Style", "Speed"], "Places": ["Unix", "Others"]}
FIELDS = ["title", "abstractNote", "date", "language", "publisher", "place", "publicationTitle", "volume", "pages", "url", "rights", "extra"]
random = Random(13)


def key(number, kind="I"):
    letters = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
    name = ""
    for _ in range(7):
        number, rest = divmod(number * 7919 + 104_729, 33)
        name += letters[rest]
    return kind + name


class Library:
    """Of what Zotero answers, what is asked for."""

    library_id, library_type = "1", "groups"

    def __init__(self):
        self.subjects = {}
        for name, parts in SUBJECTS.items():
            top = self.subject(name, False)
            for part in parts:
                self.subject(part, top)
        places = [*self.subjects]
        self.all = []
        for number, (doc, section) in enumerate(sections()[:420]):
            kind = [*TYPES][number * number % 5]
            people = [{"creatorType": "author", "firstName": FIRST[(number + step * 5) % 12], "lastName": LAST[(number * 7 + step) % 18]} for step in range(1 + number % 3)]
            year = 1994 + number * 13 % 30
            title = f"{section.heading[:90].capitalize()} ({doc.name})"
            data = {"key": key(number), "version": 5, "itemType": kind, "title": title, "creators": people, "date": f"{year}", "abstractNote": " ".join(section.paragraphs)[:900] if number % 4 else "",
                    "language": ["en", "en", "de", "fr"][number % 4], "tags": [{"tag": TAGS[(number * 5 + step * 7) % 18]} for step in range(1 + number % 3)],
                    "collections": [places[number * number % len(places)]], "publisher": f"{LAST[number % 9]} & Sons", "place": ["Lisbon", "Oslo", "Turin"][number % 3],
                    "relations": {"dc:relation": [f"http://zotero.org/groups/1/items/{key((number + 17) % 420)}"]} if number % 5 == 0 else {}, "url": f"https://example.org/{doc.name}/{number}", "dateAdded": f"2023-0{1 + number % 9}-11T10:00:00Z", "dateModified": f"2024-0{1 + number % 9}-11T10:00:00Z"}
            if kind in ("journalArticle", "conferencePaper"):
                data["publicationTitle" if kind == "journalArticle" else "proceedingsTitle"] = ["Annals of Manuals", "Letters on Language", "The Practice"][number % 3]
            names = ", ".join(f"{one['lastName']}, {one['firstName'][0]}." for one in people)
            self.all.append({"key": key(number), "version": 5, "library": {"type": "group", "id": 1, "name": "Library"}, "links": {}, "meta": {"creatorSummary": people[0]["lastName"], "parsedDate": str(year)}, "data": data,
                             "bib": f'<div class="csl-bib-body"><div class="csl-entry">{escape(names)} ({year}). <i>{escape(title)}</i>. {data["publisher"]}.</div></div>', "coins": "",
                             "ris": f"TY  - GEN\nTI  - {title}\nPY  - {year}\nER  -\n", "bibtex": f"@misc{{{key(number)}, title={{{title}}}, year={{{year}}}}}"})

    def subject(self, name, parent):
        made = key(len(self.subjects), "C")
        self.subjects[made] = {"key": made, "version": 1, "data": {"key": made, "name": name, "parentCollection": parent, "relations": {}}}
        return made

    def item_types(self):
        return [{"itemType": name, "localized": said} for name, said in TYPES.items()]

    def item_type_fields(self, _):
        return [{"field": name, "localized": name} for name in FIELDS]

    def item_creator_types(self, _):
        return [{"creatorType": "author", "localized": "Author"}]

    def collections(self, start=0, limit=100):
        return [*self.subjects.values()][start:start + limit]

    def items(self, start=0, limit=100, **_):
        return self.all[start:start + limit]

    def last_modified_version(self):
        return 5

    def new_fulltext(self, _):
        return {}


with create_app().app_context():
    library = Library()
    zotero.init_zotero = lambda: library
    sync_cache(full=True)
    sync_index(full=True)
