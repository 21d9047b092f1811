"""Hosts and services of a network as Nagios reads them, the states they were left in, and a month of its log, which ends today.

    seed.py OBJECTS FOLDER"""

import sys
import time
from random import Random
from texts import PEOPLE, sections

random = Random(5)
objects, state = open(sys.argv[1], "w"), open(f"{sys.argv[2]}/retention.dat", "w")
TODAY = int(time.time()) // 86_400 * 86_400
SAID = [" ".join(one.paragraphs[0].split())[:160].replace(";", ",").replace("|", "/") for _, one in sections()]
SITES = ("amsterdam", "bergen", "cadiz", "delft", "essen", "fribourg")
KINDS = {"web": ("HTTP", "HTTPS certificate", "Load", "Disk"), "mail": ("SMTP", "IMAP", "Queue", "Load", "Disk"), "db": ("Replication", "Connections", "Load", "Disk", "Backup"),
         "switch": ("PING", "Ports", "Uptime", "Temperature"), "dns": ("DNS", "Zone transfer", "Load"), "files": ("NFS", "SMB", "Load", "Disk", "Inodes", "RAID")}
STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


def define(kind, **fields):
    objects.write(f"define {kind} {{\n" + "".join(f"  {name} {value}\n" for name, value in fields.items()) + "}\n")


def keep(kind, **fields):
    state.write(f"{kind} {{\n" + "".join(f"{name}={value}\n" for name, value in fields.items()) + "}\n")


def hosts():
    for place, site in enumerate(SITES):
        for number, kind in enumerate(KINDS):
            for copy in (1, 2):
                yield f"{kind}{copy}.{site}", site, kind, place * 12 + number * 2 + copy


def main():
    define("timeperiod", timeperiod_name="always", alias="At all times", **{day: "00:00-24:00" for day in
           ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")})
    define("command", command_name="nothing", command_line="/bin/true")
    logins = [name.split()[0].lower() for name in PEOPLE]
    for login, name in zip(logins, PEOPLE):
        define("contact", contact_name=login, alias=name, email=f"{login}@example.org", host_notification_period="always", service_notification_period="always",
               host_notification_commands="nothing", service_notification_commands="nothing")
    for number, site in enumerate(SITES):
        define("contactgroup", contactgroup_name=f"{site}-admins", alias=f"Those in {site.title()}", members=",".join({logins[number], logins[(number * 3 + 1) % 8]}))
    alerts, every, comment = [], [], 0
    for name, site, kind, number in hosts():
        up = random.random() > 0.06
        since = TODAY - int(random.expovariate(1 / 900_000)) - 3600
        define("host", host_name=name, alias=f"{kind.title()} of {site.title()}, number {number}", address=f"10.{SITES.index(site)}.0.{number}", check_command="nothing", max_check_attempts=3,
               check_period="always", notification_period="always", contact_groups=f"{site}-admins", check_interval=5, retry_interval=1, notification_interval=120, notes=SAID[number],
               **({"parents": f"switch1.{site}"} if kind != "switch" else {}))
        keep("host", host_name=name, modified_attributes=0, has_been_checked=1, current_state=int(not up), last_state=int(not up), last_hard_state=int(not up), state_type=1, current_attempt=1,
             max_attempts=3, last_check=TODAY - number * 3, last_state_change=since, last_hard_state_change=since, check_execution_time=0.01, check_latency=0.002,
             plugin_output=f"PING {'OK' if up else 'CRITICAL'} - Packet loss = {0 if up else 100}%, RTA = {number * 7 % 50}.{number % 10} ms", active_checks_enabled=1, passive_checks_enabled=1,
             notifications_enabled=1, event_handler_enabled=1, flap_detection_enabled=1)
        every.append((name, None))
        if number % 7 == 0:
            comment += 1
            keep("hostcomment", host_name=name, comment_id=comment, source=0, persistent=1, entry_type=1, expires=0, entry_time=TODAY - number * 5000, author=PEOPLE[number % 8], comment_data=SAID[number * 3])
        for place, service in enumerate(KINDS[kind]):
            now = random.choices((0, 1, 2, 3), (84, 7, 6, 3))[0]
            since = TODAY - int(random.expovariate(1 / 600_000)) - 3600
            define("service", host_name=name, service_description=service, check_command="nothing", max_check_attempts=4, check_period="always", notification_period="always",
                   contact_groups=f"{site}-admins", check_interval=5, retry_interval=1, notification_interval=120, notes=SAID[(number * 5 + place) % 900])
            keep("service", host_name=name, service_description=service, modified_attributes=0, has_been_checked=1, current_state=now, last_state=now, last_hard_state=now, state_type=1,
                 current_attempt=4 if now else 1, max_attempts=4, last_check=TODAY - number * 3 - place, last_state_change=since, last_hard_state_change=since, check_execution_time=0.02,
                 check_latency=0.001, plugin_output=f"{service} {STATES[now]} - {SAID[(number * 11 + place * 3 + now) % 1500][:100]}", active_checks_enabled=1, passive_checks_enabled=1,
                 notifications_enabled=1, event_handler_enabled=1, flap_detection_enabled=1)
            every.append((name, service))
            if (number * 3 + place) % 17 == 0:
                comment += 1
                keep("servicecomment", host_name=name, service_description=service, comment_id=comment, source=0, persistent=1, entry_type=1, expires=0, entry_time=TODAY - number * 4000,
                     author=PEOPLE[(number + place) % 8], comment_data=SAID[(number * 3 + place) % 1500])
    for site in SITES:
        define("hostgroup", hostgroup_name=site, alias=f"All in {site.title()}", members=",".join(name for name, where, _, _ in hosts() if where == site))
    for kind in KINDS:
        define("hostgroup", hostgroup_name=f"{kind}-hosts", alias=f"All for {kind}", members=",".join(name for name, _, what, _ in hosts() if what == kind))
    for service in ("Disk", "Load", "HTTP", "SMTP", "DNS", "Replication"):
        define("servicegroup", servicegroup_name=service.lower(), alias=f"{service} everywhere", members=",".join(f"{name},{service}" for name, _, kind, _ in hosts() if service in KINDS[kind]))
    # Two alerts of three are of one in eight.
    often = every[3::8]
    for day in range(30, -1, -1):
        lines = []
        for _ in range(random.randrange(20, 60)):
            name, service = random.choice(often if random.random() < 0.66 else every)
            moment = TODAY - day * 86_400 + random.randrange(80_000 if day else 3600)
            said = SAID[random.randrange(1500)][:90]
            if service:
                bad = random.choice(STATES[1:])
                what = f"{name};{service};{bad}"
                lines += [(moment, f"SERVICE ALERT: {what};HARD;4;{said}"), (moment + 1, f"SERVICE NOTIFICATION: {random.choice(logins)};{what};nothing;{said}"),
                          (moment + 900, f"SERVICE ALERT: {name};{service};OK;HARD;4;{service} OK")]
            else:
                lines += [(moment, f"HOST ALERT: {name};DOWN;HARD;3;{said}"), (moment + 1, f"HOST NOTIFICATION: {random.choice(logins)};{name};DOWN;nothing;{said}"),
                          (moment + 1500, f"HOST ALERT: {name};UP;HARD;3;PING OK")]
        # An archive has the name of the day after it.
        path = f"{sys.argv[2]}/archives/nagios-{time.strftime('%m-%d-%Y', time.gmtime(TODAY - (day - 1) * 86_400))}-00.log" if day else f"{sys.argv[2]}/nagios.log"
        with open(path, "w") as log:
            log.writelines(f"[{moment}] {line}\n" for moment, line in sorted(lines))


main()
objects.close()
state.close()
