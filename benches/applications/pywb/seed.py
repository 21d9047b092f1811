"""Captures of a site as a WARC, and the page that lists them: a guide that grows by sections, and its news.

    seed.py WARC LIST"""

import sys
from datetime import datetime, timedelta
from html import escape
from io import BytesIO
from random import Random

from texts import PEOPLE, documents, sections, slug
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HOST = "manual.example.org"
FIRST, EDITIONS = datetime(2021, 1, 12, 8, 30), 12
DOCS = documents(46)[::2]
EVERY = sections()
random = Random(3)


def page(title, body, changed, path):
    """Where the site has two names, some of its links use the other one."""
    host = f"www.{HOST}" if len(path) % 5 == 0 else HOST
    return (f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head><body><p><a href='http://{host}/'>The manual</a> "
            f"<a href='/news/'>News</a> <a href='/people.html'>People</a></p><h1>{escape(title)}</h1>{body}"
            f"<p>Last changed {changed:%Y-%m-%d} <a href='{path}?print=1'>For printing</a></p></body></html>")


def linked(path, name):
    return f"<li><a href='{path}'>{escape(name)}</a></li>"


def said(paragraphs):
    return "".join(f"<p>{escape(one[:900])}</p>" for one in paragraphs)


def printed(path, html):
    """The same without what leads elsewhere."""
    return html.split("<body>")[0] + "<body>" + html[html.index("<h1>"):].split("<p>Last changed")[0] + "</body></html>"


def site(edition):
    """Path and HTML of each page as they were then."""
    now = FIRST + edition * timedelta(days=61)
    pages = {}

    def put(path, title, body, changed):
        pages[path] = page(title, body, changed, path)
        if not path.startswith("/news/"):
            pages[path + "?print=1"] = printed(path, pages[path])

    put("/", "The manual", said(EVERY[0][1].paragraphs[:3]) + "<ul>" + "".join(linked(f"/{doc.name}/", f"{doc.name}: {doc.title}") for doc in DOCS) + "</ul>", FIRST)
    for number, doc in enumerate(DOCS):
        # A third of the documents grows, a section an edition.
        grown = min(len(doc.sections), 3 + edition if number % 3 == 0 else 5)
        changed = FIRST + (grown - 3) * timedelta(days=61) if number % 3 == 0 else FIRST
        shown = doc.sections[:grown]
        put(f"/{doc.name}/", f"{doc.name}: {doc.title}", said(shown[0].paragraphs[:4])
            + "<ol>" + "".join(linked(f"/{doc.name}/{slug(one.heading)}.html", one.heading) for one in shown) + "</ol>", changed)
        for place, one in enumerate(shown):
            after = shown[(place + 1) % len(shown)]
            # Each seventh section was corrected once.
            corrected = (number + place) % 7 == 0 and edition >= 5
            put(f"/{doc.name}/{slug(one.heading)}.html", f"{doc.name}: {one.heading}",
                said(one.paragraphs[:10] + (EVERY[number * 9 + place][1].paragraphs[:2] if corrected else []))
                + f"<ul>{linked(f'/{doc.name}/', 'Up')}{linked(f'/{doc.name}/{slug(after.heading)}.html', 'Next')}</ul>",
                FIRST + 5 * timedelta(days=61) if corrected else FIRST)
    news = 6 + edition * 3
    for number in range(news):
        doc, section = EVERY[300 + number]
        put(f"/news/{number + 1}.html", section.heading, said(section.paragraphs[:5]) + f"<p>{PEOPLE[number % 8]}</p><ul>{linked('/news/', 'All news')}</ul>",
            FIRST + number * timedelta(days=20))
    listed = [(number, EVERY[300 + number][1]) for number in range(news)][::-1]
    put("/news/", "News", "<ul>" + "".join(linked(f"/news/{number + 1}.html", one.heading) + f"<p>{escape(one.paragraphs[0][:160])}</p>" for number, one in listed[:10])
        + "</ul>", now)
    put("/people.html", "People", "".join(f"<h2>{name}</h2>" + said(EVERY[600 + number][1].paragraphs[:2]) for number, name in enumerate(PEOPLE)), FIRST)
    return now, pages


def main():
    captured = []
    with open(sys.argv[1], "wb") as file:
        writer = WARCWriter(file, gzip=True)
        for edition in range(EDITIONS):
            moment, pages = site(edition)
            captured.append(moment)
            for path, html in pages.items():
                # A capture is never whole.
                if path != "/" and random.random() < 0.2:
                    continue
                headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.0")
                writer.write_record(writer.create_warc_record(
                    f"http://{HOST}{path}", "response", payload=BytesIO(html.encode()), http_headers=headers,
                    warc_headers_dict={"WARC-Date": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}))
                moment += timedelta(seconds=random.randint(1, 9))
    with open(sys.argv[2], "w") as file:
        file.write("<!DOCTYPE html><html><head><title>The manual of old</title></head><body><h1>The manual of old</h1><ul>"
                   + "".join(f"<li><a href='{{{{ wb_prefix }}}}{moment:%Y%m%d%H%M%S}/http://{HOST}/'>As of {moment:%d %B %Y}</a></li>" for moment in captured)
                   + "</ul></body></html>")


main()
