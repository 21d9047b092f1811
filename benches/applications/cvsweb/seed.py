"""A CVS repository of manual pages: each grows by a section a revision, with tags and a branch.

    seed.py FOLDER"""

import os
import subprocess
import sys
import tempfile
import time
from random import Random

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, slug

FOLDERS = ["manual", "manual/guide", "manual/reference", "manual/platform", "faq"]
START = 1_546_857_000


def check_in(work, master, text, revision, message, turn):
    """A revision of the file, as `cvs commit` leaves it."""
    with open(work, "w", encoding="utf-8") as file:
        file.write(text)
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + turn * 41_233))
    subprocess.run(["rcs", "-q", "-l" + revision[1], master] if revision[1] else ["true"], check=True)
    subprocess.run(["ci", "-q", "-f", "-d" + when, "-w" + slug(PEOPLE[turn % len(PEOPLE)]), "-m" + message, "-t-",
                    *(["-r" + revision[0]]), work, master], check=True)


def main():
    root, random, turn = sys.argv[1], Random(11), 0
    with tempfile.TemporaryDirectory() as folder:
        for number, doc in enumerate(documents(60)):
            place = os.path.join(root, FOLDERS[number % len(FOLDERS)])
            os.makedirs(place, exist_ok=True)
            name = f"{doc.name}.txt"
            work, master = os.path.join(folder, name), os.path.join(place, name + ",v")
            last = min(len(doc.sections) - 1, random.randint(2, 8))
            for count in range(1, last + 1):
                turn += 1
                message = "Initial revision" if count == 1 else f"{doc.sections[count - 1].heading}\n{doc.sections[count - 1].paragraphs[0][:200]}"
                check_in(work, master, doc.text(count), (f"1.{count}", f"1.{count - 1}" if count > 1 else ""), message, turn)
            tags = [f"RELEASE_{n}:1.{max(1, last * n // 3)}" for n in (1, 2, 3)]
            if number % 3 == 0:
                for step in (1, 2):
                    turn += 1
                    text = doc.text(1) + "\nThis edition is kept for those who print it.\n" * step
                    check_in(work, master, text, (f"1.1.2.{step}", f"1.1.2.{step - 1}" if step > 1 else "1.1"), "For print", turn)
                tags.append("PRINT:1.1.0.2")
            subprocess.run(["rcs", "-q", *("-n" + tag for tag in tags), master], check=True)
            os.chmod(master, 0o444)


if __name__ == "__main__":
    main()
