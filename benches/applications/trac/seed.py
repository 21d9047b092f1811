"""Pages of a wiki with histories, tickets with changes, milestones and components.

    seed.py ENVIRONMENT

Times end today, since lists of changes go back some weeks from the moment of asking."""

import os
import sys
from datetime import datetime, timedelta, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, sections, slug
from trac.env import open_environment
from trac.ticket.model import Component, Milestone, Ticket, Version
from trac.wiki.model import WikiPage

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
DOCS = documents(25)
WHO = [slug(person).split("-")[0] for person in PEOPLE]


def name(doc):
    return "Manual" + doc.name.removeprefix("perl").capitalize() if doc.name != "perl" else "ManualItself"


def wiki(env):
    for number, doc in enumerate(DOCS):
        page = WikiPage(env, name(doc))
        for turn in range(min(1 + number % 4, len(doc.sections) - 1)):
            text = f"= {doc.title} =\n\n" + "\n\n".join(
                f"== {one.heading} ==\n\n" + "\n\n".join("{{{\n" + par[:1500] + "\n}}}" if n == 2 else par[:1500].replace("[", "![").replace("{{{", "")
                                                         for n, par in enumerate(one.paragraphs[:4]))
                for one in doc.sections[:2 + turn])
            page.text = text + f"\n\nSee [wiki:{name(DOCS[(number + 1) % 25])}], #{1 + number * 3} and [wiki:ManualUnwritten{number % 5}].\n"
            page.save(WHO[(number + turn) % 8], "more" if turn else "", TODAY - timedelta(days=40 - number, hours=-turn))
    front = WikiPage(env, "WikiStart")
    front.text = "= The manual =\n\n" + "\n".join(f" * [wiki:{name(doc)}]: {doc.title}" for doc in DOCS) + "\n"
    front.save(WHO[0], "all pages", TODAY - timedelta(days=2))


def tickets(env):
    for old in ("component1", "component2"):
        Component(env, old).delete()
    for part in ("guide", "reference", "faq", "platform"):
        made = Component(env)
        made.name, made.owner, made.description = part, WHO[len(part) % 8], f"The part {part}"
        made.insert()
    for number, stone in enumerate(("milestone1", "milestone2", "milestone3", "milestone4")):
        made = Milestone(env, stone)
        made.due, made.description = TODAY + timedelta(days=30 * number - 20), sections()[number][1].paragraphs[0][:400]
        made.update()
    for label in ("0.1", "0.2"):
        made = Version(env)
        made.name, made.time = label, TODAY - timedelta(days=90)
        made.insert()
    every = sections()
    for number in range(90):
        doc, section = every[number]
        ticket, when = Ticket(env), TODAY - timedelta(days=45 - number / 2, minutes=number * 7 % 300)
        ticket.populate({
            "summary": f"{doc.name}: {section.heading}", "description": "\n\n".join(section.paragraphs[:3])[:1500].replace("{{{", ""),
            "reporter": WHO[number % 8], "owner": WHO[(number + 3) % 8], "status": "new", "type": ["defect", "enhancement", "task"][number % 3],
            "component": ["guide", "reference", "faq", "platform"][number % 4], "milestone": f"milestone{1 + number % 4}" if number % 5 else "",
            "priority": ["blocker", "critical", "major", "minor", "trivial"][number % 5], "version": ["0.1", "0.2", "1.0"][number % 3],
            "keywords": f"{doc.name} text", "cc": "",
        })
        ticket.insert(when)
        for turn in range(number % 4):
            if turn == 1:
                ticket["status"], ticket["owner"] = "accepted", WHO[number % 8]
            elif turn == 2:
                ticket["status"], ticket["resolution"] = "closed", ["fixed", "invalid", "wontfix"][number % 3]
            said = every[200 + number * 3 + turn][1].paragraphs[0][:600].replace("{{{", "")
            ticket.save_changes(WHO[(number + turn) % 8], said, when + timedelta(hours=5 * turn + 1))


if __name__ == "__main__":
    environment = open_environment(sys.argv[1])
    wiki(environment)
    tickets(environment)
