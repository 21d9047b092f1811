"""Fourteen departments, 240 people, 60 projects and 500 notes."""

from datetime import date, timedelta
from random import Random

from directory_of_people import Department, Note, Person, Project, app, builder, db
from texts import sections

FIRST = ["Ada", "Bela", "Carla", "Dmitri", "Edith", "Femi", "Greta", "Hugo", "Ines", "Jan", "Kim", "Lena", "Milo", "Nora", "Otto", "Petra", "Rosa", "Sven", "Tara", "Uwe"]
LAST = ["Lind", "Farkas", "Rossi", "Orlov", "Baker", "Ojo", "Holm", "Petit", "Costa", "Novak", "Larsen", "Meyer", "Silva", "Tanaka", "Weber"]
random = Random(5)

with app.app_context():
    public = builder.sm.find_role("Public")
    views = {"PersonView", "DepartmentView", "ProjectView", "NoteView", "Directory", "Work", "People", "Departments", "Projects", "Notes"}
    for allowed in db.session.query(builder.sm.permissionview_model).all():
        if allowed.view_menu.name in views and allowed.permission.name in ("can_list", "can_show", "menu_access"):
            builder.sm.add_permission_role(public, allowed)
    named = sections()
    departments = [Department(name=f"{section.heading[:40].capitalize()} {number}", building=f"House {'ABCD'[number % 4]}") for number, (_, section) in enumerate(named[700:714])]
    projects = [Project(title=f"{section.heading[:70].capitalize()} ({doc.name})", status=["open", "closed", "planned"][number % 3], begun=date(2019, 1, 7) + timedelta(days=number * 31),
                        summary=" ".join(section.paragraphs)[:1500]) for number, (doc, section) in enumerate(named[:60])]
    people = []
    for number in range(240):
        first, last = FIRST[number % 20], LAST[number * 7 % 15]
        people.append(Person(name=f"{first} {last}" if number < 60 else f"{first} {last} {number // 60}", mail=f"{first.lower()}.{last.lower()}{number}@example.org", phone=f"+49 30 5550 {1000 + number}",
                             since=date(2008, 4, 1) + timedelta(days=number * 19), about=" ".join(named[100 + number][1].paragraphs)[:700], department=departments[number * number % 14],
                             projects=random.sample(projects, 1 + number % 3)))
    db.session.add_all(departments + projects + people)
    for number in range(500):
        person = people[number * 37 % 240]
        db.session.add(Note(day=date(2020, 2, 3) + timedelta(days=number * 3), kind=["visit", "call", "report", "meeting"][number % 4], text=" ".join(named[(400 + number) % len(named)][1].paragraphs)[:1200],
                            project=person.projects[number % len(person.projects)], person=person))
    db.session.commit()
