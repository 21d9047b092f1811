"""420 books by 70 people, which 12 publishers brought out, and a journal of 90 entries about them; run by CubicWeb's shell."""

from datetime import date, timedelta

from texts import PEOPLE, sections

EVERY = sections()
CITIES = ("Bergen", "Cadiz", "Delft", "Essen")
create = session.create_entity  # noqa: F821


def said(number, length=600):
    return " ".join(EVERY[number % len(EVERY)][1].paragraphs)[:length].strip()


def main():
    publishers = [create("Editor", name=f"{name.split()[1]} & {('Sons', 'Press', 'House')[place % 3]}", has_address=create(
        "PostalAddress", street=f"Market street {place * 7 + 3}", postalcode=f"{10200 + place * 37}", city=CITIES[place % 4]))
        for place, name in enumerate([*PEOPLE, "Ida Berg", "Jon Clark", "Kei Doi", "Lea Egli"])]
    people = []
    for number in range(70):
        first, last = PEOPLE[number % 8].split()[0], (PEOPLE[number // 8 % 8].split()[1] + ("", "sen")[number // 64])
        people.append(create("Person", firstname=first, surname=last, description=said(number + 40, 400)))
    books = []
    for number in range(420):
        doc, section = EVERY[number]
        by = [people[number * 7 % 70]] + [people[(number * 11 + 3) % 70]] * (number % 3 == 0)
        books.append(create("Book", title=f"{section.heading} ({doc.name})"[:200], subtitle=doc.title, isbn10=f"{3_000_000_000 + number * 7919}", isbn13=f"{9_783_000_000_000 + number * 104729}",
                            pages=90 + number * 31 % 700, publish_date=date(1990 + number * 3 % 34, 1 + number % 12, 1 + number % 28), language=("English", "French", "German")[number % 7 // 3],
                            summary=said(number, 900), content="\n".join(EVERY[(number + step * 13) % len(EVERY)][1].heading for step in range(8)),
                            authors=by, publisher=publishers[number * 5 % 12]))
        if number % 50 == 49:
            session.commit()  # noqa: F821
    blog = create("Blog", title="From the library", description="What came in, and what was read.")
    other = create("Blog", title="Reading room", description="Evenings and talks.")
    for number in range(90):
        about = books[number * 17 % 420]
        entry = create("BlogEntry", title=EVERY[number + 600][1].heading[:200], content_format="text/html", entry_of=(blog, other)[number % 4 == 3],
                       content=f'<p>{said(number + 600, 700).replace("&", "&amp;").replace("<", "&lt;")}</p><p>More in <a href="/book/{about.eid}">a book</a>.</p>')
        session.commit()  # noqa: F821
        entry.cw_adapt_to("IWorkflowable").fire_transition("publish")
        session.execute("SET X creation_date %(day)s WHERE X eid %(entry)s", {"day": date(2024, 1, 3) + timedelta(days=4 * number), "entry": entry.eid})  # noqa: F821
    session.commit()  # noqa: F821


main()
