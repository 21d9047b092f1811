"""Sixty machines on four pages with ten columns each, what they tell now, and how it changed in sixty days.

    seed.py hosts FOLDER          writes hosts.cfg and the history
    seed.py status                prints messages to send, a line of their length before each"""

import os
import sys
from datetime import datetime, timedelta, timezone
from random import Random

from texts import PEOPLE, sections

PAGES = {"north": ("Bergen", "Oulu", "Tartu"), "east": ("Lviv", "Brno", "Cluj"), "south": ("Split", "Bari", "Faro"), "west": ("Cork", "Brest", "Leiden")}
KINDS = ("web", "mail", "store", "names", "build")
COLUMNS = ("conn", "cpu", "disk", "memory", "procs", "http", "ssh", "msgs", "files", "raid")
START = datetime(2024, 3, 1, 6, tzinfo=timezone.utc)
HOSTS = [(page, city, f"{kind}.{city.lower()}.example") for page, cities in PAGES.items() for city in cities for kind in KINDS]


def told(column, color, random, host):
    """What a machine says of one thing."""
    if column == "conn":
        return f"&{color} {host} {'is alive' if color == 'green' else 'does not answer'} (round trip {random.randrange(90) / 10} ms)\n"
    if column == "cpu":
        return "".join(f"{random.randrange(100, 32000):6} {PEOPLE[n % 8].split()[0].lower():8} {random.randrange(99)}.{n}%  {name}\n" for n, name in enumerate(("perl", "python3", "postgres", "sshd", "cron", "rsync", "nginx")))
    if column == "disk":
        return "Filesystem  1024-blocks  Used  Available Capacity Mounted on\n" + "".join(f"/dev/sd{n}1 10485760 {random.randrange(9_000_000)} {random.randrange(9_000_000)} {random.randrange(97)}% {path}\n" for n, path in enumerate(("/", "/home", "/srv", "/var")))
    if column == "memory":
        return "          Memory Used Total Percentage\n" + "".join(f"&{color} {kind} {random.randrange(7900)}M 7962M {random.randrange(100)}%\n" for kind in ("Real", "Actual", "Swap"))
    if column == "procs":
        return "".join(f"&green {name} (found {1 + random.randrange(3)}, req. 1 or more)\n" for name in ("cron", "sshd", "rsyslogd", "ntpd"))
    if column == "raid":
        return "All arrays are well.\n" if color == "green" else f"md{random.randrange(3)} lacks a disk.\n"
    if column == "msgs":
        document, section = sections_of(random)
        return f"Lines of the log of {document.name}\n" + "\n".join(section.paragraphs[:2]) + "\n" if color != "green" else "Nothing in the logs.\n"
    return f"&{color} {column} of {host}: {'OK' if color == 'green' else 'failed'}\n"


EVERY = sections()


def sections_of(random):
    return EVERY[random.randrange(len(EVERY))]


def written(path, text, mode="w"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


def history(folder):
    random, events = Random(41), []
    for number, (_, _, host) in enumerate(HOSTS):
        os.makedirs(f"{folder}/rrd/{host}")
        for place, column in enumerate(COLUMNS):
            time, color, lines = START + timedelta(minutes=number * 3 + place), "green", []
            for _ in range(random.choice((0, 1, 1, 2, 4, 6))):
                lasted = timedelta(hours=random.randrange(3, 200), minutes=random.randrange(60))
                stamp = int(time.timestamp())
                lines.append(f"{time:%a %b %e %H:%M:%S %Y} {color}   {stamp} {int(lasted.total_seconds())}")
                written(f"{folder}/histlogs/{host.replace('.', '_')}/{column}/{time:%a_%b_}{time.day}_{time:%H:%M:%S_%Y}", f"{color} {time:%a %b %e %H:%M:%S %Y} {column} {'ok' if color == 'green' else 'NOT ok'}\n{told(column, color, random, host)}Status unchanged in 0.00 minutes\nMessage received from 10.0.0.{number}\n")
                time += lasted
                new = random.choice(("green", "yellow", "red")) if color == "green" else "green"
                events.append((int(time.timestamp()), f"{host} {column} {int(time.timestamp())} {stamp} {int(lasted.total_seconds())} {new[0]} {color[0]} {1 if new != 'green' else 2}"))
                color = new
            lines.append(f"{time:%a %b %e %H:%M:%S %Y} green   {int(time.timestamp())}")
            written(f"{folder}/hist/{host.replace('.', ',')}.{column}", "\n".join(lines) + "\n")
    written(f"{folder}/hist/allevents", "".join(f"{event}\n" for _, event in sorted(events)))


def hosts(path):
    lines = []
    for page, cities in PAGES.items():
        lines.append(f"page {page} Machines in the {page}")
        for city in cities:
            lines += [f"subpage {city.lower()} {city}", f"group Machines in {city}"]
            lines += [f"10.{number // 250}.0.{number % 250 + 1} {host} # noconn NAME:\"{host.split('.')[0]} of {city}\" DESCR:\"{host.split('.')[0]}:runs since 2019\"" for number, (_, of, host) in enumerate(HOSTS) if of == city]
    written(path, "\n".join(lines) + "\n")


def status():
    random = Random(43)
    for _, _, host in HOSTS:
        for column in COLUMNS:
            color = random.choice(("green",) * 9 + ("yellow", "red"))
            message = f"status+90d {host.replace('.', ',')}.{column} {color} {column} {'ok' if color == 'green' else 'NOT ok'}\n{told(column, color, random, host)}".encode()
            sys.stdout.buffer.write(b"%d\n%s" % (len(message), message))


if sys.argv[1] == "hosts":
    hosts(f"{sys.argv[2]}/etc/hosts.cfg")
    history(f"{sys.argv[2]}/var")
else:
    status()
