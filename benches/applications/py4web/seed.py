"""420 books by 90 people, 24 publishers, 500 loans."""

from datetime import date, timedelta

from models import db
from texts import PEOPLE, sections, slug

every = sections()
FIRST = ["Ada", "Bela", "Carla", "Dmitri", "Edith", "Femi", "Greta", "Hugo", "Ines", "Jan", "Kim", "Lena"]
LAST = ["Lind", "Farkas", "Rossi", "Orlov", "Baker", "Ojo", "Holm", "Petit", "Costa", "Novak", "Larsen", "Meyer", "Silva"]
COUNTRIES = "Austria Brazil Chile Denmark Egypt France Ghana Hungary India Japan".split()
for number in range(90):
    db.author.insert(name=f"{FIRST[number % 12]} {LAST[number * 5 % 13]} {number}", country=COUNTRIES[number * number % 10], born=1900 + number * 7 % 95, about=" ".join(every[900 + number][1].paragraphs)[:700])
for number in range(24):
    db.publisher.insert(name=f"{LAST[number % 13]} & {LAST[number * 3 % 13 - 1]} {number}", city=["Berlin", "Lyon", "Porto", "Graz", "Oslo"][number % 5], founded=1820 + number * 8)
for number in range(420):
    doc, section = every[number]
    db.book.insert(title=f"{section.heading[:70]} ({doc.name})", author=1 + number * number % 90, publisher=1 + number * 7 % 24, year=1950 + number * 13 % 74, shelf="ABCDEFGH"[number * 3 % 8], summary=" ".join(section.paragraphs)[:900])
for number in range(500):
    begun = date(2021, 1, 4) + timedelta(days=number * 2)
    db.loan.insert(book=1 + number * 37 % 420, reader=PEOPLE[number % 8], begun=begun, ended=begun + timedelta(days=5 + number % 30) if number % 7 else None, remark=every[450 + number][1].paragraphs[0][:300] if number % 3 == 0 else "")
db.commit()
