"""A site's settings and its posts: some in two or three languages, most in English alone.

    seed.py FOLDER URL"""

import os
import sys
from datetime import datetime, timedelta

from texts import PEOPLE, sections, slug

FOLDER, URL = sys.argv[1:3]
TAGS = ("syntax", "regex", "unicode", "modules", "objects", "threads", "debugging", "files", "numbers", "strings", "history", "platforms", "testing", "networks", "idioms", "warnings")
CATEGORIES = ("Language", "Language/Types", "Library", "Platforms", "People")
POSTS, FIRST = 170, datetime(2022, 3, 2, 9)
SETTINGS = f'''
BLOG_AUTHOR, BLOG_TITLE, SITE_URL, BLOG_EMAIL, BLOG_DESCRIPTION = "Ada Lind", "Notes on the manual", "{URL}", "ada@example.org", "What the manual says"
DEFAULT_LANG = "en"
TRANSLATIONS = {{"en": "", "de": "./de", "es": "./es"}}
NAVIGATION_LINKS = {{lang: ((start + "/archive.html", "Archive"), (start + "/categories/index.html", "Tags"), (start + "/authors/index.html", "Authors"), (start + "/rss.xml", "RSS")) for lang, start in (("en", ""), ("de", "/de"), ("es", "/es"))}}
THEME, TIMEZONE, FORCE_ISO8601 = "bootstrap4", "UTC", True
POSTS = (("posts/*.md", "posts", "post.tmpl"),)
PAGES = (("pages/*.md", "", "page.tmpl"),)
COMPILERS = {{"markdown": (".md",), "html": (".html",)}}
CREATE_MONTHLY_ARCHIVE, CREATE_DAILY_ARCHIVE, ARCHIVES_ARE_INDEXES = True, True, False
CATEGORY_PATH = {{"en": "categories", "de": "categories", "es": "categories"}}
CATEGORY_PREFIX, CATEGORY_ALLOW_HIERARCHIES, TAG_PAGES_ARE_INDEXES, CATEGORY_PAGES_ARE_INDEXES, AUTHOR_PAGES_ARE_INDEXES = "cat_", True, True, True, True
INDEX_DISPLAY_POST_COUNT, INDEX_TEASERS, PRETTY_URLS, STRIP_INDEXES = 10, True, True, True
SHOW_UNTRANSLATED_POSTS, ENABLE_AUTHOR_PAGES, SHOW_SOURCELINK, COPY_SOURCES, GENERATE_RSS, GENERATE_ATOM = True, True, True, True, True, False
COMMENT_SYSTEM, USE_CDN, CONTENT_FOOTER = "", False, "The manual"
USE_KATEX, SOCIAL_BUTTONS_CODE = False, ""
'''


def written(text, *path):
    path = os.path.join(FOLDER, *path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    written(SETTINGS, "conf.py")
    every, used = sections(), set()
    for number in range(POSTS):
        doc, section = every[number * 3]
        name = f"{slug(section.heading)}-{number}" if slug(section.heading) in used else slug(section.heading)
        used.add(name)
        tags = {TAGS[(number * 5 + step * step * 3) % len(TAGS)] for step in range(1 + number % 3)}
        when = FIRST + timedelta(days=number * 4 + number % 3, hours=number % 9)
        for language, turn in (("en", 0), ("de", 1), ("es", 2)):
            if turn and number % (3 * turn + 1):
                continue
            doc, section = every[number * 3 + turn]
            told = [one[:1400] for part in (section, *(every[600 + number * 6 + turn * 2 + step][1] for step in range(2))) for one in part.paragraphs[:9]]
            told.insert(1, "<!-- TEASER_END -->")
            head = "".join(f".. {key}: {value}\n" for key, value in (
                ("title", f"{section.heading} ({doc.name})"), ("slug", name), ("date", f"{when:%Y-%m-%d %H:%M:%S} UTC"), ("tags", ", ".join(sorted(tags))),
                ("category", CATEGORIES[number * 7 % len(CATEGORIES)]), ("author", PEOPLE[number % 8])))
            written(f"<!--\n{head}-->\n\n" + "\n\n".join(told).replace("`", "'") + "\n", "posts", name + (f".{language}" if turn else "") + ".md")
    written("<!--\n.. title: About\n.. slug: about\n.. date: 2022-03-01 09:00:00 UTC\n-->\n\n" + "\n\n".join(every[700][1].paragraphs), "pages", "about.md")


main()
