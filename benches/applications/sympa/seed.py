"""Lists under topics, archives of two of them as the messages of each month, and documents to share.

    seed.py STATE DOMAIN"""

import mailbox
import os
import sys
from email.utils import parsedate_to_datetime

from texts import PEOPLE, documents, sections, slug

TOPICS = {"language": ("The language", ("syntax", "types", "objects")), "library": ("The library", ("text", "files", "network")),
          "platforms": ("Platforms", ()), "people": ("People", ())}
LISTS = 110
STATE, DOMAIN = sys.argv[1:3]


def written(text, *path):
    path = os.path.join(STATE, *path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def mailing_list(name, subject, topic, about, number):
    owner = PEOPLE[number % len(PEOPLE)]
    parts = [
        f"subject {subject}", "status open", f"topics {topic}", "visibility noconceal", "lang en_US", "send private", "process_archive on",
        "archive\nweb_access public\nmail_access owner", "subscribe open", "unsubscribe open", "review owner", "info open",
        "shared_doc\nd_edit owner\nd_read public", f"owner\nemail {slug(owner)}@example.org\ngecos {owner}\nprofile privileged",
        f"creation\ndate_epoch {1672531200 + number * 864000}\nemail {slug(owner)}@example.org",
    ]
    written("\n\n".join(parts) + "\n", "lists", name, "config")
    written(about + "\n", "lists", name, "info")


def main():
    written("".join(f"{name}\ntitle.gettext {title}\n\n" + "".join(f"{name}/{one}\ntitle.gettext {title}: {one}\n\n" for one in parts)
                    for name, (title, parts) in TOPICS.items()), "etc", "topics.conf")
    every = [f"{name}/{one}" for name, (_, parts) in TOPICS.items() for one in parts] + ["platforms", "people", "language", "library"]
    docs, parts = documents(), sections()
    for number, name in enumerate(["guide", "reference"] + [f"{doc.name}-talk" for doc in docs[:LISTS]]):
        doc = docs[number % len(docs)]
        mailing_list(name, f"On {doc.title}"[:80], every[number % len(every)], "\n\n".join(doc.sections[0].paragraphs)[:1500], number)
        for part in range(number % 4 * 2):
            doc, one = parts[number * 6 + part]
            written(f"{doc.name}: {one.heading}\n\n" + "\n\n".join(one.paragraphs), "lists", name, "shared", *(["notes"] if part % 3 == 2 else []), f"{slug(one.heading)}.txt")
    for name in ("guide", "reference"):
        told = {}
        for message in mailbox.mbox(os.path.join(STATE, f"{name}.mbox")):
            month = parsedate_to_datetime(message["Date"]).strftime("%Y-%m")
            told[month] = told.get(month, -1) + 1
            written(message.as_string(), "arc", f"{name}@{DOMAIN}", month, "arctxt", str(told[month]))
        written("", "lists", name, "archives", "none")


main()
