"""Wiki pages, some with a history, and tickets with changes, as artifacts of Fossil.

    seed.py FOLDER"""

import hashlib
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, sections, slug

START = 1_548_000_000


def card(text):
    return text.replace("\\", "\\\\").replace(" ", "\\s").replace("\n", "\\n")


def moment(number):
    return time.strftime("%Y-%m-%dT%H:%M:%S.000", time.gmtime(START + number * 31_337))


def put(folder, lines):
    """An artifact ends with the hash of what stands before; its own name is the hash of all."""
    text = ("\n".join(lines) + "\n").encode()
    text += f"Z {hashlib.md5(text).hexdigest()}\n".encode()
    name = hashlib.sha1(text).hexdigest()
    with open(os.path.join(folder, f"artifact-{name}"), "wb") as file:
        file.write(text)
    return name


def wiki(folder):
    for number, doc in enumerate(documents(14)):
        parent = None
        for edition in range(1 + number % 3):
            text = "".join(f"<h2>{one.heading}</h2>\n" + "".join(f"<p>{par.replace('<', '&lt;')}</p>\n" for par in one.paragraphs[:6])
                           for one in doc.sections[:2 + edition])
            text += f"<p>See also [{documents()[(number + 1) % 14].name}].</p>\n"
            lines = [f"D {moment(number * 3 + edition)}", f"L {card(doc.name)}"]
            lines += [f"P {parent}"] if parent else []
            lines += [f"U {slug(PEOPLE[number % 8])}", f"W {len(text.encode())}", text]
            parent = put(folder, lines)


def tickets(folder):
    every = sections()
    for number in range(40):
        doc, section = every[number]
        name = hashlib.sha1(f"ticket {number}".encode()).hexdigest()
        values = {
            "comment": "\n".join(section.paragraphs[:2])[:1500], "foundin": f"0.{1 + number % 5}", "private_contact": "",
            "severity": ["Critical", "Important", "Minor", "Cosmetic"][number % 4], "status": "Open", "subsystem": doc.name,
            "title": f"{doc.name}: {section.heading}", "type": ["Code_Defect", "Feature_Request", "Documentation"][number % 3],
        }
        person = slug(PEOPLE[number % 8])
        put(folder, [f"D {moment(60 + number * 4)}", *(f"J {key} {card(value)}" for key, value in sorted(values.items()) if value),
                     f"K {name}", f"U {person}"])
        for turn in range(number % 4):
            status = ["Open", "Verified", "Fixed"][turn]
            said = every[100 + number * 3 + turn][1].paragraphs[0][:600]
            put(folder, [f"D {moment(61 + number * 4 + turn)}", f"J icomment {card(said)}", f"J login {slug(PEOPLE[turn])}",
                         "J mimetype text/plain", f"J status {status}", f"K {name}", f"U {slug(PEOPLE[turn])}"])


if __name__ == "__main__":
    wiki(sys.argv[1])
    tickets(sys.argv[1])
