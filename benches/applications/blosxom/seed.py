"""Posts about the manual as files of Blosxom, and what stands above and around them.

    seed.py FOLDER"""

import os
import sys
from datetime import datetime, timedelta, timezone
from random import Random

from texts import sections, slug

FOLDER = sys.argv[1]
CATEGORIES = {"language": ("syntax", "types", "scope"), "text": ("regex", "unicode", "formats"), "files": ("paths", "locks", "handles"), "modules": ("writing", "using", "naming"),
              "inside": ("memory", "parser", "threads"), "systems": ("unix", "windows", "others"), "net": ("sockets", "mail", "web"), "people": ("talks", "books", "news")}
START = datetime(2022, 1, 3, 8, tzinfo=timezone.utc)
POSTS = 330
random = Random(13)


def main():
    time, months, counted = START, [], {}
    for number, (doc, section) in enumerate(sections()[:POSTS]):
        time += timedelta(hours=random.choice((7, 31, 50, 77, 120)))
        category = list(CATEGORIES)[number * 5 % 8]
        below = random.choice(("", *CATEGORIES[category]))
        place = os.path.join(category, below) if below else category
        counted[place] = counted.get(place, 0) + 1
        path = os.path.join(FOLDER, place, f"{slug(section.heading)}-{number}.txt")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{section.heading}\n" + "".join(f"<p>{paragraph.replace('&', '&amp;').replace('<', '&lt;')}</p>\n" for paragraph in section.paragraphs[:6]))
        os.utime(path, (time.timestamp(), time.timestamp()))
        if time.strftime("%Y/%m") not in months:
            months.append(time.strftime("%Y/%m"))
    pieces = {
        "head": '<html><head><link rel="alternate" type="application/rss+xml" href="$url/index.rss"><title>$blog_title $path_info_da $path_info_mo $path_info_yr</title></head><body>'
                '<h1><a href="$url">$blog_title</a></h1><table><tr><td>' + "<br>".join(f'<a href="$url/{place}">{place}</a> <a href="$url/{place}/index.rss">feed</a>' for place in sorted({*counted, *CATEGORIES})) + "</td><td>"
                + "<br>".join(f'<a href="$url/{month}/">{month}</a>' for month in months) + '</td><td><a href="$url/index.rss">all as a feed</a>',
        "date": "<h3>$dw, $da $mo $yr</h3>",
        "story": '<h4><a name="$fn" href="$url$path/$fn.$default_flavour">$title</a></h4>$body<p>posted at: $ti | path: <a href="$url$path">$path</a> | <a href="$url/$yr/$mo_num/$da#$fn">permanent link to this entry</a></p>',
        "foot": "</td></tr></table></body></html>",
        "content_type": "text/html",
    }
    for piece, text in pieces.items():
        with open(os.path.join(FOLDER, f"{piece}.html"), "w", encoding="utf-8") as file:
            file.write(text + "\n")


main()
