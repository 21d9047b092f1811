"""A blog of 650 posts about the manual by eight people under 24 tags, and letters that tell of them."""

import json
import os
import sqlite3
import sys
from datetime import datetime, timedelta
from html import escape
from uuid import UUID

from texts import PEOPLE, sections, slug

START = datetime(2021, 1, 4, 8)
EVERY = sections()
TAGS = ("syntax regex unicode build modules objects threads debugging input output numbers strings hashes arrays files history platforms testing"
        " news tutorials releases people books letters").split()
HOME = f"http://127.0.0.1:{os.environ['PORT']}"
base = sqlite3.connect(sys.argv[1])
made = 0


def fresh():
    """A number as the application gives them."""
    global made
    made += 1
    return f"65{made:022x}"


def insert(table, **values):
    values.setdefault("id", fresh())
    base.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", list(values.values()))
    return values["id"]


def stamp(moment):
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def link(name, number):
    """To another post, as people write them: from its root, whole, without the last slash, as a telephone shows it."""
    return (f"/{name}/", f"{HOME}/{name}/", f"{HOME}/{name}", f"{HOME}/{name}/amp/")[number % 4]


def post(number, title, name, body, kind="post", **more):
    when = stamp(START + timedelta(hours=77 * number))
    plain = " ".join(body.replace("<", " <").split())
    return insert("posts", uuid=str(UUID(int=number + 1 << 64 | 0x4000 << 64 | 0x8000 << 48)), title=title, slug=name, html=body, plaintext=plain, type=kind, status="published",
                  visibility="public", email_recipient_filter="all", featured=number % 13 == 5, created_at=when, created_by="1", updated_at=when,
                  updated_by="1", published_at=when, published_by="1", **more)


def main():
    for table in ("posts_tags", "posts_authors", "posts_meta", "posts", "tags"):
        base.execute(f"DELETE FROM {table}")
    role, = base.execute("SELECT id FROM roles WHERE name = 'Author'").fetchone()
    people = []
    for number, name in enumerate(PEOPLE):
        people.append(insert("users", name=name, slug=slug(name), password="!", email=f"{slug(name)}@example.org", bio=EVERY[number + 500][1].paragraphs[0][:190],
                             website=f"https://{slug(name)}.example.org", location=("Bergen", "Cadiz", "Delft", "Graz")[number % 4], created_at=stamp(START), created_by="1"))
        insert("roles_users", role_id=role, user_id=people[-1])
    tags = {name: insert("tags", name=name.capitalize(), slug=name, description=EVERY[number + 520][1].paragraphs[0][:400] if number % 3 else None,
                         created_at=stamp(START), created_by="1") for number, name in enumerate(TAGS)}
    seen, names = set(), []
    for number in range(650):
        doc, section = EVERY[number]
        letter = number % 7 == 6
        title = f"Letter {number // 7 + 1}" if letter else f"{section.heading} ({doc.name})"[:150]
        name = slug(title)
        while name in seen:
            name += "-2"
        seen.add(name)
        if letter:
            mark = (f"attribution_id=66{number:022x}&amp;attribution_type=post", f"ref=letter-{number // 7 + 1}", f"utm_source=letter-{number // 7 + 1}&amp;utm_medium=email")[number % 3]
            told = [names[number - 1 - step] for step in range(6)] + [names[number * 7919 // 11 % len(names)]]
            body = f"<p>{escape(section.paragraphs[0][:500])}</p>" + "".join(
                f'<h3><a href="{HOME}/{there}/?{mark}">{escape(heading)}</a></h3><p>{escape(text[:180])}</p>' for there, heading, text in told)
            marks = ["letters"]
        else:
            parts = [f"<p>{escape(one[:1200])}</p>" for one in section.paragraphs[:5]]
            for step in (1, 3):
                if names and number % 4 != step:
                    there, heading, _ = names[(number * 7919 + step * 104729) // 11 % len(names)]
                    parts.insert(step, f'<p>More of it in <a href="{link(there, number + step)}">{escape(heading)}</a>, and under <a href="/tag/{TAGS[number % 24]}/">{TAGS[number % 24]}</a>.</p>')
            body = "".join(parts)
            marks = [TAGS[(number * 5 + step * 7) % 23] for step in range(1 + number % 3)]
        one = post(number, title, name, body, custom_excerpt=section.paragraphs[0][:280] if number % 4 == 0 else None)
        for order, mark in enumerate(dict.fromkeys(marks)):
            insert("posts_tags", post_id=one, tag_id=tags[mark], sort_order=order)
        insert("posts_authors", post_id=one, author_id=people[number * 7 % 8], sort_order=0)
        if number % 9 == 2:
            insert("posts_authors", post_id=one, author_id=people[(number * 7 + 3) % 8], sort_order=1)
        names.append((name, title, section.paragraphs[0]))
    for number, title in enumerate(("About", "Contact", "Books")):
        one = post(number, title, slug(title), "".join(f"<p>{escape(text)}</p>" for text in EVERY[number + 600][1].paragraphs[:4]), "page")
        insert("posts_authors", post_id=one, author_id=people[number], sort_order=0)
    shown = [{"label": "Home", "url": "/"}, *({"label": name.capitalize(), "url": f"/tag/{name}/"} for name in ("news", "tutorials", "letters")),
             {"label": "Reference", "url": "/reference/"}, {"label": "Featured", "url": "/featured/"}, {"label": "About", "url": "/about/"}]
    for key, value in (("navigation", json.dumps(shown)), ("title", "The manual's blog"), ("amp", "true"), ("active_theme", "casper"),
                       ("secondary_navigation", json.dumps([{"label": "Contact", "url": "/contact/"}, {"label": "Feed", "url": "/rss/"}]))):
        base.execute("UPDATE settings SET value = ? WHERE key = ?", (value, key))
    base.commit()


main()
