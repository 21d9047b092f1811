"""A proxy's log of four months: fourteen people in four groups who visit some sixty sites on the days that they work.

    seed.py FOLDER"""

import sys
from datetime import datetime, timedelta, timezone
from random import Random

from texts import documents, logins

FOLDER = sys.argv[1]
START = datetime(2019, 2, 18, tzinfo=timezone.utc)
# The program takes nothing later than 2020.
DAYS = 100
random = Random(23)
USERS = logins(14)
GROUPS = ("editors", "engineers", "office", "guests")
SITES = [f"www.{one.name}.{('example', 'test')[number % 2]}" for number, one in enumerate(documents(60))]


def main():
    with open(f"{FOLDER}/group.cfg", "w", encoding="utf-8") as file:
        for number, user in enumerate(USERS):
            file.write(f"{user}\t{number % 4 + 1:02}\t{GROUPS[number % 4]}\n")
    with open(f"{FOLDER}/realname.cfg", "w", encoding="utf-8") as file:
        for number, user in enumerate(USERS[:9]):
            file.write(f"{user}\t{user.capitalize()} {GROUPS[number % 4][:3].capitalize()}\n")
    with open(f"{FOLDER}/logs/access.log", "w", encoding="utf-8") as file:
        for day in range(DAYS):
            date = START + timedelta(days=day)
            lines = []
            for number, user in enumerate(USERS):
                if date.weekday() > 4 and number % 5 or random.randrange(10) > 6 - number % 3:
                    continue
                for _ in range(random.choice((4, 9, 15, 26))):
                    time = date.timestamp() + 3600 * random.randrange(7, 20) + random.randrange(3600)
                    site = SITES[min(random.randrange(60), random.randrange(60))]
                    size = random.choice((800, 2400, 9100, 42_000, 310_000, 310_000, 3_400_000)) + random.randrange(999)
                    kind = random.choice(("TCP_MISS/200", "TCP_HIT/200", "TCP_MISS/304"))
                    lines.append((time, f"{time:.3f} {random.randrange(20, 4000):6} 10.0.0.{number + 10} {kind} {size} GET http://{site}/page/{random.randrange(40)} {user} DIRECT/10.9.0.{number + 1} text/html"))
            file.writelines(line + "\n" for _, line in sorted(lines))


main()
