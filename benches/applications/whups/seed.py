"""Tickets of four types in seven queues, with what was said of them, as rows of the tracker's tables.

    seed.py DATABASE"""

import sqlite3
import sys

from texts import documents, sections

START = 1_640_995_200
TICKETS = 340
PEOPLE = ["ada", "bela", "carla", "dmitri", "edith", "femi", "greta", "hugo"]
TYPES = ("Bug", "Wish", "Question", "Text")
STATES = (("Unconfirmed", "unconfirmed"), ("New", "new"), ("Assigned", "assigned"), ("Resolved", "resolved"), ("Not a fault", "resolved"))
PRIORITIES = ("1. Low", "2. Medium", "3. High")


def main():
    docs, every = documents(), sections()
    with sqlite3.connect(sys.argv[1]) as base:
        def row(table, **values):
            base.execute(f"INSERT INTO whups_{table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", [*values.values()])

        for queue in range(1, 8):
            doc = docs[queue * 5]
            row("queues", queue_id=queue, queue_name=doc.name.capitalize(), queue_description=doc.title[:200], queue_versioned=1, queue_slug=doc.name)
            for version in range(3):
                row("versions", version_id=queue * 10 + version, queue_id=queue, version_name=f"{version + 1}.{queue}", version_description="", version_active=1)
        for kind, name in enumerate(TYPES, 1):
            row("types", type_id=kind, type_name=name, type_description=name)
            for queue in range(1, 8):
                row("types_queues", type_id=kind, queue_id=queue, type_default=kind == 1)
            for number, (state, category) in enumerate(STATES):
                row("states", state_id=kind * 10 + number, type_id=kind, state_name=state, state_description=state, state_category=category, state_default=number == 1)
            for number, name in enumerate(PRIORITIES):
                row("priorities", priority_id=kind * 10 + number, type_id=kind, priority_name=name, priority_description=name, priority_default=number == 1)
        turn = 0
        for ticket in range(1, TICKETS + 1):
            doc, section = every[ticket]
            queue, kind, state = ticket * ticket % 7 + 1, ticket * 5 % 4 + 1, ticket * 7 % 5
            when, who = START + ticket * 190_000, PEOPLE[ticket * 3 % 8]
            row("tickets", ticket_id=ticket, ticket_summary=f"{doc.name}: {section.heading}"[:120], user_id_requester=who, queue_id=queue, version_id=queue * 10 + ticket % 3,
                type_id=kind, state_id=kind * 10 + state, priority_id=kind * 10 + ticket % 3, ticket_timestamp=when, date_updated=when + 5_000,
                date_resolved=when + 900_000 if state > 2 else None)
            if state > 1:
                row("ticket_owners", ticket_id=ticket, ticket_owner=f"user:{PEOPLE[ticket % 6]}")
            for step in range(1 + ticket * ticket % 5):
                turn += 1
                said = section.paragraphs[:3] if step == 0 else every[(ticket * 31 + step * 7) % len(every)][1].paragraphs[:2]
                at, by = when + step * 86_400, who if step == 0 else PEOPLE[(ticket + step) % 8]
                row("transactions", transaction_id=turn, transaction_timestamp=at, transaction_user_id=by)
                text = "\n\n".join(one[:1200] for one in said) + (f"\n\nSee also ticket {(ticket * 7 + step) % TICKETS + 1}." if step % 2 else "")
                row("comments", comment_id=turn, ticket_id=ticket, user_id_creator=by, comment_text=text, comment_timestamp=at)
                row("logs", log_id=turn * 10, transaction_id=turn, ticket_id=ticket, log_type="comment", log_value=str(turn), log_value_num=turn)
                if step:
                    row("logs", log_id=turn * 10 + 1, transaction_id=turn, ticket_id=ticket, log_type="state", log_value=str(kind * 10 + state), log_value_num=kind * 10 + state)


main()
