"""Answers as gmetad does, which gathers from a grid's machines: four clusters of 66 machines, with the measures of each. What it measures is the same each
time but for ages of a few seconds, which go round."""

import socketserver
import sys
import time
from random import Random
from xml.sax.saxutils import quoteattr

CLUSTERS = {"Web": 24, "Databases": 14, "Compute": 20, "Storage": 8}
GROUPS = {
    "load": [("load_one", "", 4), ("load_five", "", 4), ("load_fifteen", "", 4)],
    "cpu": [("cpu_user", "%", 40), ("cpu_system", "%", 15), ("cpu_idle", "%", 60), ("cpu_wio", "%", 9), ("cpu_nice", "%", 2), ("cpu_num", "CPUs", 0), ("cpu_speed", "MHz", 0)],
    "memory": [("mem_total", "KB", 0), ("mem_free", "KB", 8e6), ("mem_cached", "KB", 6e6), ("mem_buffers", "KB", 9e5), ("swap_total", "KB", 0), ("swap_free", "KB", 4e6)],
    "network": [("bytes_in", "bytes/sec", 9e6), ("bytes_out", "bytes/sec", 9e6), ("pkts_in", "packets/sec", 9e3), ("pkts_out", "packets/sec", 9e3)],
    "disk": [("disk_total", "GB", 0), ("disk_free", "GB", 400), ("part_max_used", "%", 90)],
    "process": [("proc_run", "", 6), ("proc_total", "", 400)],
    "core": [("boottime", "s", 0), ("machine_type", None, 0), ("os_name", None, 0), ("os_release", None, 0), ("gexec", None, 0)],
}
OWN = {"Web": ("apache", [("ap_requests", "req/sec", 300), ("ap_workers", "", 150)]), "Databases": ("postgres", [("pg_commits", "1/sec", 500), ("pg_connections", "", 90)]),
       "Compute": ("jobs", [("jobs_running", "", 40), ("jobs_waiting", "", 90)]), "Storage": ("raid", [("raid_rebuild", "%", 5), ("raid_failed", "", 2)])}
FIXED = {"cpu_num": 8, "cpu_speed": 2400, "mem_total": 16384000, "swap_total": 4096000, "disk_total": 931.5, "boottime": 1704450000, "machine_type": "x86_64", "os_name": "Linux",
         "os_release": "6.1.0-18-amd64", "gexec": "OFF"}


def tag(name, closed=True, **values):
    return f"<{name} {' '.join(f'{key}={quoteattr(str(value))}' for key, value in values.items())}{'/' if closed else ''}>"


def measured(cluster, host):
    random = Random(f"{cluster} {host}")
    for group, metrics in [*GROUPS.items(), OWN[cluster]]:
        for name, units, most in metrics:
            yield group, name, units, FIXED[name] if name in FIXED else round(random.random() * most, 2)


def names(cluster):
    return [f"{cluster.lower()[:4]}{number:02}.example.org" for number in range(1, CLUSTERS[cluster] + 1)]


def is_down(cluster, number):
    return (len(cluster) + number) % 11 == 3


def machine(cluster, number, host, metrics=True):
    now = int(time.time())
    age = 9000 if is_down(cluster, number) else now % 20
    parts = [tag("HOST", False, NAME=host, IP=f"10.0.{len(cluster)}.{number + 1}", REPORTED=now - age, TN=age, TMAX=20, DMAX=0, LOCATION=f"{number // 4},{number % 4},0",
                 GMOND_STARTED=1704450090, TAGS="")]
    for group, name, units, value in measured(cluster, host) if metrics else ():
        kind = "string" if units is None else "float"
        parts.append(tag("METRIC", False, NAME=name, VAL=value, TYPE=kind, UNITS=units or "", TN=now % 60, TMAX=90, DMAX=0, SLOPE="zero" if name in FIXED else "both", SOURCE="gmond"))
        title = name.replace("_", " ").capitalize()
        parts += ["<EXTRA_DATA>", *(tag("EXTRA_ELEMENT", NAME=key, VAL=said) for key, said in (("GROUP", group), ("DESC", f"{title} of the machine"), ("TITLE", title))), "</EXTRA_DATA></METRIC>"]
    return "".join(parts) + "</HOST>"


def summed(cluster):
    up = [host for number, host in enumerate(names(cluster)) if not is_down(cluster, number)]
    sums = {}
    for host in up:
        for _, name, units, value in measured(cluster, host):
            if units is not None:
                sums.setdefault(name, [0, units])[0] += value
    return tag("HOSTS", UP=len(up), DOWN=CLUSTERS[cluster] - len(up), SOURCE="gmetad") + "".join(
        tag("METRICS", NAME=name, SUM=round(value, 2), NUM=len(up), TYPE="float", UNITS=units, SLOPE="both", SOURCE="gmond") for name, (value, units) in sums.items())


def answer(request):
    path, _, wish = request.partition("?")
    asked = path.strip("/").split("/")
    now = int(time.time())
    parts = ['<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>', tag("GANGLIA_XML", False, VERSION="3.7.2", SOURCE="gmetad"),
             tag("GRID", False, NAME="Example", AUTHORITY=f"{sys.argv[2]}/", LOCALTIME=now)]
    for cluster in CLUSTERS:
        if asked[0] not in ("", cluster):
            continue
        parts.append(tag("CLUSTER", False, NAME=cluster, LOCALTIME=now, OWNER="Example", LATLONG="unspecified", URL="unspecified"))
        if "summary" in wish:
            parts.append(summed(cluster))
        else:
            parts += [machine(cluster, number, host) for number, host in enumerate(names(cluster)) if len(asked) < 2 or asked[1] == host]
        parts.append("</CLUSTER>")
    if asked == [""] and "summary" in wish:
        parts.append(tag("HOSTS", UP=sum(CLUSTERS.values()), DOWN=0, SOURCE="gmetad"))
    return "".join(parts) + "</GRID></GANGLIA_XML>\n"


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(answer(self.rfile.readline().decode().strip()).encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
