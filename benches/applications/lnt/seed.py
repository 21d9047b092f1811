"""What 36 programs took on eight machines at 18 revisions, some of them twice, with a few that became slower on the way.

    seed.py FOLDER              # writes a report for each run
    seed.py FOLDER DATABASE     # names two revisions that others are compared with"""

import json
import sqlite3
import sys
from datetime import datetime, timedelta
from random import Random

from texts import documents, slug

START = datetime(2024, 4, 2, 6, 30)
MACHINES = [f"{place}-{kind}" for place in ("oslo", "porto", "quito", "riga") for kind in ("arm", "x86")]
random = Random(17)


def main(folder):
    tests = [f"{doc.name}/{slug(section.heading)[:24]}" for doc in documents()[2:20] for section in doc.sections[:2]][:36]
    usual = {test: (random.uniform(0.5, 9), random.uniform(1, 60)) for test in tests}
    slower = {test: random.randrange(4, 16) for test in tests[::5]}
    count = 0
    for step in range(18):
        for number, machine in enumerate(MACHINES):
            # Not every machine is there for each revision; two of them are asked twice at times.
            for again in range(0 if (step + number * 3) % 11 == 4 else 2 if number < 2 and step % 3 == 0 else 1):
                begun = START + timedelta(days=step, hours=number, minutes=31 * again)
                results = []
                for test in tests:
                    built, ran = (one * (1 + number / 5) * random.gauss(1, 0.004) for one in usual[test])
                    ran *= 1.15 if slower.get(test, 99) <= step else 1
                    results.append({"name": f"nts.{test}", "compile_time": round(built, 4), "execution_time": round(ran, 4)})
                report = {
                    "format_version": "2",
                    "machine": {"name": machine, "hardware": machine.split("-")[1], "os": "Debian 12", "place": machine.split("-")[0].title()},
                    "run": {"llvm_project_revision": str(4100 + step * 7), "start_time": begun.isoformat(), "end_time": (begun + timedelta(minutes=25)).isoformat()},
                    "tests": results,
                }
                count += 1
                with open(f"{folder}/{count:03}.json", "w") as file:
                    json.dump(report, file)


def baselines(database):
    with sqlite3.connect(database) as base:
        orders = [number for number, in base.execute("SELECT ID FROM NT_Order ORDER BY ID")]
        base.executemany("INSERT INTO NT_Baseline (Name, Comment, OrderID) VALUES (?, ?, ?)",
                         [("spring", "Before the first release", orders[2]), ("summer", "The first release", orders[11])])


if len(sys.argv) > 2:
    baselines(sys.argv[2])
else:
    main(sys.argv[1])
