"""A tracker of 320 issues about the manual, with messages, files, keywords, and queries that all see.

    seed.py TRACKER

Times end today, since lists tell how long ago an issue was changed."""

import sys
from datetime import datetime, timedelta, timezone

import roundup.instance
from roundup import date, password
from texts import PEOPLE, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
ISSUES = 320
EVERY = sections()
COLUMNS = "@columns=id,activity,title,creator,assignedto,status"
QUERIES = [
    ("Newest first", f"{COLUMNS}&@sort=-creation&@pagesize=50&@startwith=0"),
    ("By status", f"{COLUMNS}&@sort=-activity&@group=status&@pagesize=50&@startwith=0"),
    ("By priority", f"{COLUMNS}&@sort=activity&@group=priority&@pagesize=50&@startwith=0"),
    ("By person", f"{COLUMNS}&@sort=id&@group=assignedto&@pagesize=20&@startwith=0"),
    ("By title", "@columns=id,title,keyword&@sort=title&@pagesize=50&@startwith=0"),
    ("Resolved", f"{COLUMNS}&@sort=-activity&@filter=status&status=8&@pagesize=50&@startwith=0"),
    ("Urgent", f"{COLUMNS}&@sort=-activity&@filter=priority,status&priority=1,2&status=1,2,3,4&@pagesize=50&@startwith=0"),
    ("About syntax", f"{COLUMNS}&@sort=-activity&@filter=keyword&keyword=1&@pagesize=50&@startwith=0"),
    ("Nobody's", f"{COLUMNS}&@sort=id&@filter=assignedto&assignedto=-1&@pagesize=50&@startwith=0"),
    ("Saying variable", f"{COLUMNS}&@sort=-activity&@search_text=variable&@pagesize=20&@startwith=0"),
]
NOW = TODAY - timedelta(days=200)
made_of = date.Date.__init__


def made_then(self, spec=".", *arguments, **named):
    """What is now, to the tracker, is when the story has come to."""
    made_of(self, NOW.strftime("%Y-%m-%d.%H:%M:%S") if spec == "." else spec, *arguments, **named)


def at(db, moment, user):
    global NOW
    NOW = moment
    db.setCurrentUser(db.user.get(user, "username"))


def people(db):
    made = []
    for number, name in enumerate(PEOPLE):
        first = name.split()[0].lower()
        made.append(db.user.create(username=first, realname=name, address=f"{first}@example.org", roles="User", organisation=f"Group {number % 3}",
                                   password=password.Password("fixed-password", config=db.config)))
    return made


def message(db, author, text):
    return db.msg.create(author=author, content=text, date=date.Date(), summary=text[:60])


def issue(db, number, who, keywords):
    doc, section = EVERY[number]
    begun, author = TODAY - timedelta(days=170 - number / 2, minutes=number * 37 % 700), who[number * 7 % 8]
    at(db, begun, author)
    text = "\n\n".join(section.paragraphs[:3])[:1800]
    said = [message(db, author, text + (f"\n\nSee also issue{number * 5 % ISSUES + 1}." if number % 4 == 0 else ""))]
    files = []
    if number % 6 == 0:
        files.append(db.file.create(name=f"{doc.name}.txt", type="text/plain", content="\n".join(EVERY[number + 700][1].paragraphs)[:3000]))
    made = db.issue.create(title=f"{doc.name}: {section.heading}"[:120], priority=str(number % 5 + 1), status="1", messages=said, files=files,
                           keyword=sorted({keywords[number % 6], keywords[number % 4]}), assignedto=who[number % 5] if number % 3 else None)
    for turn in range(number * number % 6):
        writer = who[(number + turn * 3) % 8]
        at(db, begun + timedelta(hours=9 * turn + 4), writer)
        other = EVERY[(number * 5 + turn * 11 + 400) % len(EVERY)][1]
        said.append(message(db, writer, "\n\n".join(other.paragraphs[:2])[:900]))
        db.issue.set(made, messages=list(said), status=str((number + turn) % 8 + 1), assignedto=who[(number + turn) % 8],
                     **({"superseder": [str(number // 2 + 1)]} if number % 17 == 16 and turn == 1 else {}))
    db.commit()


def main():
    db = roundup.instance.open(sys.argv[1]).open("admin")
    date.Date.__init__ = made_then
    who = people(db)
    keywords = [db.keyword.create(name=name) for name in ("syntax", "documents", "regex", "build", "unicode", "wish")]
    queries = [db.query.create(klass="issue", name=name, url=url) for name, url in QUERIES]
    db.user.set(db.user.lookup("anonymous"), queries=queries)
    for number in range(ISSUES):
        issue(db, number, who, keywords)


main()
