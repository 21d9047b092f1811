"""Hosts with items, triggers, graphs and inventories, a month of their problems, which ends today, maps of them, and that the guest may read all, as SQL."""

import time
from random import Random

from texts import PEOPLE, sections

random = Random(9)
EVERY = sections()
TODAY = int(time.time()) // 86_400 * 86_400
SITES = ("Amsterdam", "Bergen", "Cadiz", "Delft", "Essen", "Fribourg")
KINDS = ("web", "mail", "db", "file", "print")
ITEMS = (("CPU load", "load", "%"), ("Free memory", "memory", "B"), ("Free space on /", "space.root", "%"), ("Free space on /home", "space.home", "%"),
         ("Incoming traffic", "net.in", "bps"), ("Outgoing traffic", "net.out", "bps"), ("Processes", "processes", ""), ("Users", "users", ""))
TRIGGERS = (("Load is too high on {}", 0, 3), ("Lack of memory on {}", 1, 4), ("Disk is nearly full on {}", 2, 2), ("Too many processes on {}", 6, 1))
rows = {}


def said(number, length=240):
    return " ".join(EVERY[number % len(EVERY)][1].paragraphs[0].split())[:length]


def add(table, **values):
    rows.setdefault((table, tuple(values)), []).append(tuple(values.values()))


def quoted(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (int, float)) else "'" + str(value).replace("\\", "\\\\").replace("'", "''") + "'"


def hosts():
    for place, site in enumerate(SITES):
        add("hstgrp", groupid=100 + place, name=site, uuid=f"{place:032}")
        add("rights", rightid=100 + place, groupid=8, permission=2, id=100 + place)
    for number in range(60):
        host, site, kind = 20000 + number, number % 6, KINDS[number % 5]
        name = f"{kind}{number // 5:02}.{SITES[site].lower()}"
        add("hosts", hostid=host, host=name, name=name, name_upper=name.upper(), description=said(number))
        add("hosts_groups", hostgroupid=30000 + number, hostid=host, groupid=100 + site)
        add("interface", interfaceid=20000 + number, hostid=host, main=1, type=1, useip=1, ip=f"192.0.2.{number + 1}", available=1 if number % 7 else 2)
        add("host_inventory", hostid=host, inventory_mode=0, type=("server", "virtual", "appliance")[number % 3], name=name, os=("Debian 12", "FreeBSD 14", "OpenBSD 7")[number * 5 % 3],
            serialno_a=f"S{number * 7919:07}", location=SITES[site], contact=PEOPLE[number % 8], notes=said(60 + number, 600),
            **{one: "" for one in ("software_full", "hardware_full", "site_notes", "poc_1_notes", "poc_2_notes", "host_networks")})
        add("host_tag", hosttagid=20000 + number * 2, hostid=host, tag="site", value=SITES[site])
        add("host_tag", hosttagid=20001 + number * 2, hostid=host, tag="kind", value=kind)
        for step, (title, key, units) in enumerate(ITEMS):
            item = 100000 + number * 8 + step
            add("items", itemid=item, type=2, hostid=host, name=title, name_upper=title.upper(), key_=key, value_type=3, units=units, params="", posts="", headers="",
                description=said(number * 8 + step + 120, 200))
            add("item_rtdata", itemid=item)
            add("item_tag", itemtagid=item, itemid=item, tag="part", value=key.split(".")[0])
            for hour in range(12):
                add("history_uint", itemid=item, clock=TODAY - hour * 3600, value=(number * 37 + step * 911 + hour * 53) % (100 if units == "%" else 5000))
        for part in range(2):
            graph = 20000 + number * 2 + part
            add("graphs", graphid=graph, name=("Traffic", "Space")[part])
            for step in range(2):
                add("graphs_items", gitemid=40000 + graph * 2 + step, graphid=graph, itemid=100000 + number * 8 + (4, 2)[part] + step, sortorder=step, color=("1A7C11", "F63100")[step])


def problems():
    event = 50000
    for number in range(240):
        host, (title, item, priority) = number // 4, TRIGGERS[number % 4]
        site = host % 6
        name = title.format(f"{KINDS[host % 5]}{host // 5:02}.{SITES[site].lower()}")
        trigger, stands = 60000 + number, number % 5 == 0
        add("triggers", triggerid=trigger, expression=f"{{{70000 + number}}}>90", description=title.format("{HOST.NAME}"), priority=priority + number % 2, value=int(stands),
            lastchange=TODAY - number * 3100, comments=said(number + 700, 400))
        add("functions", functionid=70000 + number, itemid=100000 + host * 8 + item, triggerid=trigger, name="last", parameter="$")
        add("trigger_tag", triggertagid=trigger, triggerid=trigger, tag="scope", value=("capacity", "performance")[number % 2])
        for turn in range(1 + number % 4):
            began, last = TODAY - 86_400 * (29 - turn * 8) + number * 2900, turn == number % 4
            if last and stands:
                began = TODAY - number * 3100
            common = {"source": 0, "object": 0, "objectid": trigger, "name": name, "severity": priority + number % 2}
            add("events", eventid=event, clock=began, value=1, acknowledged=int(event % 3 == 0), **common)
            add("event_tag", eventtagid=event, eventid=event, tag="site", value=SITES[site])
            if event % 3 == 0:
                add("acknowledges", acknowledgeid=event, userid=1, eventid=event, clock=began + 600, message=said(event, 160), action=6)
            ended = 0 if last and stands else began + 1800 + number * 60
            add("problem", eventid=event, clock=began, acknowledged=int(event % 3 == 0), r_eventid=event + 1 if ended else None, r_clock=ended, **common)
            add("problem_tag", problemtagid=event, eventid=event, tag="site", value=SITES[site])
            if ended:
                add("events", eventid=event + 1, clock=ended, value=0, acknowledged=0, **common)
                add("event_recovery", eventid=event, r_eventid=event + 1)
            event += 2


def maps():
    for place, site in enumerate(SITES):
        add("sysmaps", sysmapid=100 + place, name=f"Hosts in {site}", label_type=0, userid=1, private=0)
        for number in range(10):
            add("sysmaps_elements", selementid=1000 + place * 10 + number, sysmapid=100 + place, elementid=20000 + place + number * 6, elementtype=0, iconid_off=151,
                label=f"Host {number}", x=60 + number % 5 * 110, y=60 + number // 5 * 150)


hosts()
problems()
maps()
for (table, columns), values in rows.items():
    print(f"INSERT INTO {table} ({', '.join(columns)}) VALUES\n" + ",\n".join("(" + ", ".join(map(quoted, one)) + ")" for one in values) + ";")
# The guest is among those who may not enter; and no server is asked for.
print("DELETE FROM users_groups WHERE usrgrpid = 9; UPDATE config SET server_check_interval = 0; UPDATE dashboard SET private = 0 WHERE dashboardid = 1;")
