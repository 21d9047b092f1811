"""Twenty stations with what they show on four days from today, forty recordings and ten timers for a video recorder.

    seed.py FOLDER"""

import os
import sys
import time
from random import Random

from texts import sections

STATIONS = ["First", "Second", "Third North", "Third South", "Culture", "News One", "News Two", "Nature", "History", "Science", "Cinema", "Cinema Two", "Series", "Comedy", "Children", "Sports",
            "Sports Two", "Music", "Regional", "Parliament"]
SERIES = ["The Garden", "Harbour Street", "Questions of the Day", "On the Road", "The Long River", "Weather and Traffic", "Kitchen Tales", "Night Train", "The Workshop", "Letters Home"]
random = Random(11)
named = sections()


def said(number, length):
    return " ".join(named[number % len(named)][1].paragraphs)[:length].replace("|", "/")


def main():
    folder = sys.argv[1]
    today = int(time.time()) // 86400 * 86400
    shows = []
    with open(f"{folder}/conf/channels.conf", "w", encoding="utf-8") as channels, open(f"{folder}/epg.data", "w", encoding="utf-8") as guide:
        for place, station in enumerate(STATIONS):
            sid = 28000 + place
            channels.write(f"{station};Provider:{11000 + place * 20}:HC34M2S0:S19.2E:27500:{100 + place}:{200 + place}:0:0:{sid}:1:{1100 + place // 4}:0\n")
            guide.write(f"C S19.2E-1-{1100 + place // 4}-{sid} {station}\n")
            when, number = today, 0
            while when < today + 4 * 86400:
                number += 1
                long = random.choice([1800, 2700, 3600, 5400, 7200])
                of = place * 131 + number * 7
                title = SERIES[of % 10] if number % 3 == 0 else named[of % len(named)][1].heading[:50].replace("|", "/")
                part = f"Part {number % 9 + 1}" if number % 3 == 0 else ""
                guide.write(f"E {place * 1000 + number} {when} {long} 4E\nT {title}\n" + (f"S {part}\n" if part else "") + f"D {said(of, 300 + of % 5 * 120)}\ne\n")
                shows.append((place + 1, title, when, long))
                when += long
            guide.write("c\n")
    with open(f"{folder}/conf/timers.conf", "w", encoding="utf-8") as timers:
        for place, title, when, long in [one for one in shows if one[2] > today + 86400][::140]:
            begin, end = time.gmtime(when), time.gmtime(when + long)
            timers.write(f"1:{place}:{time.strftime('%Y-%m-%d', begin)}:{time.strftime('%H%M', begin)}:{time.strftime('%H%M', end)}:50:99:{title.replace(':', '|')}:\n")
    for number in range(40):
        title = SERIES[number % 10] if number % 2 else f"Film {number}"
        moment = time.strftime("%Y-%m-%d.%H.%M", time.gmtime(1_700_000_000 + number * 93_000))
        where = f"{folder}/video/{title.replace(' ', '_')}/{moment}.1-0.rec"
        os.makedirs(where)
        with open(f"{where}/info", "w", encoding="utf-8") as file:
            file.write(f"C S19.2E-1-1100-28000 First\nE {number + 1} {1_700_000_000 + number * 93_000} 3600 4E\nT {title}\nS Part {number}\nD {said(number * 11 + 500, 700)}\nF 25\nP 50\nL 99\n")
        open(f"{where}/00001.ts", "wb").close()


main()
