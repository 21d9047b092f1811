"""A list's messages as an mbox: threads about sections of the manual.

    seed.py LIST"""

import os
import sys
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime
from random import Random

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, sections, slug

MESSAGES = {"guide": 640, "reference": 452}
# The last months, since an archive's first page goes back from the moment of asking.
TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)


def message(name, number, author, subject, text, when, before):
    made = EmailMessage()
    made["From"] = f"{author} <{slug(author)}@example.org>"
    made["To"] = f"{name}@example.org"
    made["Subject"] = subject
    made["Date"] = format_datetime(when)
    made["Message-ID"] = f"<{name}-{number}@example.org>"
    if before:
        made["In-Reply-To"] = before[-1]
        made["References"] = " ".join(before)
    made.set_content(text)
    print(f"From {slug(author)}@example.org {when:%a %b %d %H:%M:%S %Y}")
    print(made.as_string().replace("\nFrom ", "\n>From "))
    print()
    return made["Message-ID"]


def main(name):
    random, every, number = Random(name), sections(), 0
    start = 0 if name == "guide" else 700
    people = PEOPLE + [f"{person.split()[0]} {other.split()[1]}" for person, other in zip(PEOPLE, PEOPLE[3:])]
    topic = 0
    while number < MESSAGES[name]:
        doc, section = every[start + topic]
        subject, thread, said = f"{doc.name}: {section.heading}"[:90], [], ""
        when = TODAY - timedelta(days=max(6, 200 - topic * 860 / MESSAGES[name]))
        for turn in range(1 + min(14, int(random.expovariate(1 / 4)))):
            text = section.paragraphs[turn % len(section.paragraphs)][:1200]
            quoted = "".join(f"> {line}\n" for line in said[:300].split("\n")) if turn else ""
            author = random.choice(people)
            before = [thread[random.randrange(len(thread))]] if thread else []
            thread.append(message(name, number, author, ("Re: " if turn else "") + subject, f"{quoted}\n{text}\n\n-- \n{author}\n", when, before))
            number, said, when = number + 1, text, when + timedelta(hours=random.randint(1, 9))
        topic += 1


main(sys.argv[1])
