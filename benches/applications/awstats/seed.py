"""What three web servers wrote down in a year: visits of people, who came from a search, from a link or by themselves, and of robots.

    python3 seed.py FOLDER SITE..."""

import sys
from datetime import datetime, timedelta
from random import Random

from texts import sections, slug

START = datetime(2024, 1, 1)
EVERY = sections()
COUNTRIES = "de fr it nl pl se no fi es pt at ch be cz dk ie gr hu ro uk jp br ca au mx in".split() + ["net"] * 8 + ["com"] * 6
AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/{}",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{} Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{} Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Mobile Safari/537.36",
    "Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/{}",
    "Lynx/{} libwww-FM/2.14 SSL-MM/1.4.1",
]
ROBOTS = ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
          "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)",
          "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", "Wget/1.21.3", "curl/7.88.1"]
SEARCHES = ["https://www.google.com/search?q={}", "https://www.bing.com/search?q={}", "https://duckduckgo.com/?q={}", "https://search.yahoo.com/search?p={}"]


def pages(site, chance):
    found = []
    for number in range(240):
        doc, section = chance.choice(EVERY)
        kind = (f"/{doc.name}/{slug(section.heading)}.html", f"/{doc.name}/", f"/files/{slug(section.heading)}.{chance.choice(('pdf', 'zip', 'tar.gz'))}",
                f"/{site}/{slug(section.heading)}.php")[min(3, chance.randrange(9) // 2)]
        found.append((kind, section.heading))
    return found


def line(host, when, path, status, size, referrer, agent):
    return f'{host} - - [{when:%d/%b/%Y:%H:%M:%S} +0000] "GET {path} HTTP/1.1" {status} {size} "{referrer}" "{agent}"\n'


def year(site, chance):
    """Lines, each with its moment."""
    offered = pages(site, chance)
    hosts = [f"{chance.choice(('dsl', 'cable', 'host', 'pool', 'mobile'))}{number}.{slug(chance.choice(EVERY)[1].heading).split('-')[0]}.{chance.choice(COUNTRIES)}" for number in range(700)]
    friends = [f"https://{slug(chance.choice(EVERY)[1].heading)}.example.net/{name}" for name in ("links.html", "", "2024/news.html", "wiki/Reading") for _ in range(15)]
    for month in range(12):
        for _ in range(chance.randrange(130, 260)):
            when = START + timedelta(days=30.4 * month + chance.random() * 30, seconds=chance.randrange(3600))
            host = hosts[int(len(hosts) * chance.random() ** 2)]
            if chance.random() < 0.2:
                agent, referrer = chance.choice(ROBOTS), "-"
            else:
                agent = chance.choice(AGENTS).format(f"{chance.randrange(90, 125)}.0")
                come = chance.random()
                words = "+".join(chance.choice(offered)[1].lower().replace('"', "").split()[:4])
                referrer = chance.choice(SEARCHES).format(words) if come < 0.35 else chance.choice(friends) if come < 0.6 else "-"
            for step in range(chance.randrange(1, 9)):
                path, _ = offered[int(len(offered) * chance.random() ** 2)]
                status = 404 if chance.random() < 0.04 else 304 if chance.random() < 0.1 else 200
                if status == 404:
                    path = path.replace(".html", ".htm") + "x"
                yield when, line(host, when, path, status, chance.randrange(800, 90_000) if status != 304 else 0, referrer, agent)
                referrer = f"https://{site}.example.org{path}" if "bot" not in agent else "-"
                yield when, line(host, when, "/style.css", 200, 3201, referrer, agent)
                when += timedelta(seconds=chance.randrange(5, 200))


def main():
    for number, site in enumerate(sys.argv[2:]):
        with open(f"{sys.argv[1]}/{site}.log", "w", encoding="utf-8") as file:
            file.writelines(one for _, one in sorted(year(site, Random(number)), key=lambda found: found[0]))


main()
