"""Categories with meetings, lectures and conferences of the past months and of those to come, about sections of the manual."""

from datetime import datetime, timedelta, timezone

from flask import session
from indico.core.db import db
from indico.modules.categories import Category
from indico.modules.events.contributions.models.contributions import Contribution
from indico.modules.events.contributions.models.persons import AuthorType, ContributionPersonLink
from indico.modules.events.contributions.models.subcontributions import SubContribution
from indico.modules.events.models.events import EventType
from indico.modules.events.models.persons import EventPerson
from indico.modules.events.operations import create_event
from indico.modules.events.sessions.models.blocks import SessionBlock
from indico.modules.events.sessions.models.sessions import Session
from indico.modules.events.timetable.models.breaks import Break
from indico.modules.events.timetable.models.entries import TimetableEntry
from indico.modules.users import User
from indico.web.flask.app import make_app
from texts import PEOPLE, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
EVERY = sections()
EVENTS = 110
sections_left = iter(EVERY)


def paragraphs(section, count):
    return "".join(f"<p>{one.replace('&', '&amp;').replace('<', '&lt;')[:900]}</p>" for one in section.paragraphs[:count])


def categories():
    root = Category.get_root()
    root.title = "The manual"
    leaves = []
    for title in ("Guide", "Reference", "Platforms", "Questions"):
        top = Category(title=title, parent=root, timezone="UTC", acl_entries=set(), description=f"<p>All about {title.lower()}</p>")
        for part in ("meetings", "lectures and conferences"):
            leaves.append(Category(title=f"{title}: {part}", parent=top, timezone="UTC", acl_entries=set(), description=""))
    db.session.flush()
    return leaves


def scheduled(event, thing, begins, parent=None):
    entry = TimetableEntry(event=event, parent=parent, object=thing, start_dt=begins)
    db.session.add(entry)
    db.session.flush()
    return entry


def talk(event, begins, people, turn, group=None, block=None, parent=None):
    doc, section = next(sections_left)
    made = Contribution(event=event, title=section.heading[:100], description=paragraphs(section, 4), duration=timedelta(minutes=20),
                        session=group, session_block=block)
    db.session.add(made)
    for place in range(1 + turn % 2):
        made.person_links.append(ContributionPersonLink(person=people[(turn + 3 * place) % len(people)], is_speaker=place == 0,
                                                        author_type=AuthorType.primary if place == 0 else AuthorType.secondary))
    if turn % 5 == 4:
        db.session.commit()
        for part in section.paragraphs[:2]:
            made.subcontributions.append(SubContribution(title=f"{doc.name}: {part[:50]}", duration=timedelta(minutes=5)))
    db.session.flush()
    scheduled(event, made, begins, parent)


def one_event(number, category, creator):
    kind = (EventType.meeting, EventType.lecture, EventType.meeting, EventType.conference)[number % 4 if "conf" in category.title else 0]
    doc, section = EVERY[number + 700]
    begins = TODAY + timedelta(days=3 * (number - EVENTS * 2 // 3), hours=9)
    days = 2 if kind == EventType.conference else 1
    event = create_event(category, kind, {
        "creator": creator, "title": f"{doc.name}: {section.heading}"[:110], "description": paragraphs(section, 3), "timezone": "UTC",
        "start_dt": begins, "end_dt": begins + timedelta(days=days - 1, hours=1 if kind == EventType.lecture else 8),
        "keywords": [doc.name]}, add_creator_as_manager=False)
    # Numbers of what belongs to it are given by another connection, which has to see it.
    db.session.commit()
    if kind == EventType.lecture:
        return
    people = [EventPerson(event=event, first_name=name.split()[0], last_name=name.split()[1], email=f"{name.split()[0].lower()}@example.org",
                          affiliation=f"House {place % 3}") for place, name in enumerate(PEOPLE)]
    db.session.add_all(people)
    for day in range(days):
        for half in range(2):
            start = begins + timedelta(days=day, hours=4 * half)
            count = 3 if kind == EventType.meeting else 4
            if kind == EventType.conference or number % 3 == 0:
                group = Session(event=event, title=next(sections_left)[1].heading[:60], description="", default_contribution_duration=timedelta(minutes=20))
                block = SessionBlock(session=group, title="", duration=timedelta(minutes=20 * count))
                db.session.add_all([group, block])
                db.session.flush()
                entry = scheduled(event, block, start)
                for turn in range(count):
                    talk(event, start + timedelta(minutes=20 * turn), people, number + turn + half, group, block, entry)
            else:
                for turn in range(count - half):
                    talk(event, start + timedelta(minutes=20 * turn), people, number + turn + half)
            if half == 0:
                scheduled(event, Break(title="Coffee", description="", duration=timedelta(minutes=30)), start + timedelta(hours=2))


def main():
    creator = User(first_name="Ada", last_name="Lind", email="ada@example.org")
    db.session.add(creator)
    db.session.flush()
    leaves = categories()
    for number in range(EVENTS):
        one_event(number, leaves[number * 5 % len(leaves)], creator)
    db.session.commit()


app = make_app()
with app.test_request_context("/"):
    session.lang = "en_GB"
    main()
