"""Measures of 192 machines in four regions and six cities of each, and what is told of them.

    seed.py FOLDER TIME"""

import os
import subprocess
import sys
from random import Random

from texts import sections

FOLDER, NOW = sys.argv[1], int(sys.argv[2])
REGIONS = {"North": ("Bergen", "Oulu", "Tartu", "Umea", "Tromso", "Riga"), "East": ("Lviv", "Brno", "Cluj", "Iasi", "Pecs", "Lodz"),
           "South": ("Split", "Bari", "Faro", "Cadiz", "Patras", "Nice"), "West": ("Cork", "Brest", "Leiden", "Porto", "Bath", "Gent")}
KINDS = ("router", "web", "mail", "store", "mirror", "proxy", "names", "door")
random = Random(31)


def measures(name):
    path = os.path.join(FOLDER, "data", name + ".rrd")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    sources = ["DS:uptime:GAUGE:600:0:U", "DS:loss:GAUGE:600:0:20", "DS:median:GAUGE:600:0:U", *(f"DS:ping{number}:GAUGE:600:0:U" for number in range(1, 21))]
    archives = ["RRA:AVERAGE:0.5:1:1008", *(f"RRA:{kind}:0.5:12:4320" for kind in ("AVERAGE", "MIN", "MAX")), *(f"RRA:{kind}:0.5:144:720" for kind in ("AVERAGE", "MAX", "MIN"))]
    begin = NOW // 300 * 300 - 300 * 220
    subprocess.run(["rrdtool", "create", path, "--start", str(begin), "--step", "300", *sources, *archives], check=True)
    usual, lines = random.uniform(0.004, 0.09), []
    for step in range(1, 220):
        pings = sorted(usual * random.uniform(0.9, 1.3) for _ in range(20))
        lines.append(":".join(map(str, (begin + 300 * step, "U", int(random.random() < 0.03) * 2, f"{pings[10]:.6f}", *(f"{one:.6f}" for one in pings)))))
    subprocess.run(["rrdtool", "update", path, *lines], check=True)


def main():
    told = [section for _, section in sections() if len(section.paragraphs) > 1]
    lines = ["*** Targets ***", "probe = FPing", "menu = Top", "title = How long answers take", "remark = Machines by place."]
    for region, cities in REGIONS.items():
        lines += [f"+ {region}", f"menu = {region}", f"title = Machines in the {region}"]
        for city in cities:
            lines += [f"++ {city}", f"menu = {city}", f"title = Machines in {city}"]
            for kind in KINDS:
                name = f"{kind}{len(city) % 3 + 1}"
                section = told.pop()
                remark = " ".join(section.paragraphs[:2])[:700].replace("\\", " ").replace("<", " ").replace("&", " ").replace("@", " at ").replace("#", " ")
                lines += [f"+++ {name}", f"menu = {name}", f"title = {name}.{city.lower()}.example", f"host = {name}.{city.lower()}.example", f"remark = {remark}"]
                measures(f"{region}/{city}/{name}")
    with open(f"{FOLDER}/targets", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
