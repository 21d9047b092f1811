"""A database of objects: 300 pages of the manual in folders, with remarks and people, changed in 130 transactions, at moments of its own.

    seed.py FILE"""

import sys
import time

moment = 1_700_000_000.0
time.time = lambda: moment

import transaction
import ZODB
import ZODB.FileStorage
from BTrees.OOBTree import OOBTree
from persistent.list import PersistentList
from persistent.mapping import PersistentMapping
from texts import PEOPLE, sections, slug

database = ZODB.DB(ZODB.FileStorage.FileStorage(sys.argv[1]))
root = database.open().root()
every = sections()
FOLDERS = ["guide", "reference", "faq", "platform", "library", "notes", "drafts", "old"]


def done(who, told):
    global moment
    moment += 17_389.25
    transaction.get().setUser(who)
    transaction.get().note(told)
    transaction.commit()


root["site"] = PersistentMapping(title="Manual", folders=OOBTree(), people=OOBTree(), recent=PersistentList())
site = root["site"]
for person in PEOPLE:
    site["people"][slug(person)] = PersistentMapping(name=person, mail=f"{slug(person)}@example.org", pages=OOBTree())
for name in FOLDERS:
    site["folders"][name] = PersistentMapping(title=name.capitalize(), pages=OOBTree())
done("system", "where all is")
pages = []
for number in range(300):
    doc, section = every[number]
    person = site["people"][slug(PEOPLE[number * 3 % 8])]
    page = PersistentMapping(title=section.heading, source=doc.name, text=section.paragraphs[0][:900], size=sum(map(len, section.paragraphs)), owner=person, state="draft", tags=["perl", doc.name, FOLDERS[number % 5]])
    if number % 3 == 0:
        page["remarks"] = PersistentList()
    site["folders"][FOLDERS[number * number % 8]]["pages"][f"{slug(section.heading)}-{number}"] = page
    person["pages"][f"{slug(section.heading)}-{number}"] = page
    pages.append(page)
    if number % 15 == 14:
        done(slug(PEOPLE[number % 8]), f"fifteen pages, the last of which is {section.heading[:40]}")
for turn in range(110):
    for number in {turn * 7 % 300, turn * 31 % 300, turn * turn % 300}:
        page, (doc, section) = pages[number], every[number]
        if turn % 3 == 0 and "remarks" in page:
            page["remarks"].append(PersistentMapping(by=PEOPLE[turn % 8], said=every[400 + turn * 3][1].paragraphs[0][:500]))
        elif turn % 3 == 1:
            page["text"] = section.paragraphs[turn % len(section.paragraphs)][:900]
        else:
            page["state"] = ["draft", "shown", "kept"][turn % 7 % 3]
            page["tags"] = ["perl", doc.name, PEOPLE[turn % 8].split()[0]]
    site["recent"] = PersistentList(every[one][1].heading for one in {turn * 7 % 300, turn * 31 % 300})
    done(slug(PEOPLE[turn * 5 % 8]), f"turn {turn}: {every[turn * 7 % 300][1].heading[:40]}")
database.close()
