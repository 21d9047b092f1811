"""160 books about what the manual tells, their authors, copies, readers and loans, and who may look at them."""

from datetime import date, timedelta

import django

django.setup()

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from library.models import Author, Book, Copy, Loan, Publisher, Reader, Subject
from texts import PEOPLE, sections

EVERY = sections()
FIRST = date(1994, 3, 1)


def text(number, paragraphs=3):
    return "\n\n".join(EVERY[number][1].paragraphs[:paragraphs])[:2500]


def main():
    reader = User.objects.create(username="reader", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename__startswith="view_", content_type__app_label="library"))
    keeper = User.objects.create(username="keeper", is_staff=True)
    names = [f"{one.split()[0]} {other.split()[1]}" for one in PEOPLE[:5] for other in PEOPLE[:5]]
    authors = [Author.objects.create(name=name, country=("Norway", "Hungary", "Italy", "Kenya", "Chile")[number % 5], born=1920 + number * 7 % 60, notes=text(number))
               for number, name in enumerate(names)]
    publishers = [Publisher.objects.create(name=f"{name.split()[1]} & Sons", city=("North", "Harbour", "Bridge")[number % 3]) for number, name in enumerate(PEOPLE)]
    subjects = [Subject.objects.create(name=name, notes=text(60 + number, 1)) for number, name in enumerate(
        ("Syntax", "Regexes", "Unicode", "Modules", "Objects", "Threads", "Numbers", "Strings", "Hashes", "Files", "Platforms", "Tests"))]
    readers = [Reader.objects.create(name=f"{other.split()[0]} {one.split()[1]}", joined=date(2020, 1, 5) + timedelta(days=41 * number), is_active=number % 5 != 0)
               for number, (one, other) in enumerate(zip(PEOPLE * 4, (PEOPLE[3:] + PEOPLE[:3]) * 2 + (PEOPLE[5:] + PEOPLE[:5]) * 2))]
    copies, kind = [], ContentType.objects.get_for_model(Book)
    for number in range(160):
        doc, section = EVERY[100 + number]
        book = Book.objects.create(title=f"{section.heading} ({doc.name})"[:150], author=authors[number * 7 % 25], publisher=publishers[number * 5 % 8],
                                   published=FIRST + timedelta(days=59 * number), pages=90 + number * 37 % 700, language=("en", "en", "de", "it")[number % 4],
                                   in_print=number % 3 != 0, summary=text(100 + number))
        book.subjects.set(subjects[(number + step * 5) % 12] for step in range(1 + number % 3))
        for step in range(1 + number % 3):
            copies.append(Copy.objects.create(book=book, shelf=f"{'ABCDEFGH'[number % 8]}{number // 8:02}-{step + 1}", state=("new", "used", "worn")[(number + step) % 3],
                                              acquired=FIRST + timedelta(days=59 * number + 90 + 200 * step)))
        if number % 3 == 0:
            for flag in (ADDITION, CHANGE):
                entry = LogEntry.objects.create(user=keeper, content_type=kind, object_id=str(book.pk), object_repr=str(book)[:200], action_flag=flag,
                                                change_message=EVERY[400 + number][1].paragraphs[0][:150])
                LogEntry.objects.filter(pk=entry.pk).update(action_time=f"2024-02-{1 + number % 28:02}T10:00:00Z")
    for number in range(260):
        begun = date(2023, 1, 2) + timedelta(days=number * 2)
        Loan.objects.create(copy=copies[number * 11 % len(copies)], reader=readers[number * 13 % 32], begun=begun,
                            returned=None if number % 6 == 0 else begun + timedelta(days=7 + number % 30))


main()
