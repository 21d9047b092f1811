"""A site in three languages: pages about the manual in folders, and a blog by categories, tags, people and months. Much of it is in English only."""

from datetime import datetime, timedelta, timezone
from html import escape

import django

django.setup()

from cms.api import add_plugin, create_page, create_title
from django.contrib.auth import get_user_model
from django.contrib.sites.models import Site
from django.db import transaction
from djangocms_blog.cms_appconfig import BlogConfig
from djangocms_blog.models import BlogCategory, Post
from texts import PEOPLE, documents, sections, slug

START = datetime(2022, 1, 9, 8, tzinfo=timezone.utc)
PARTS = ["Language", "Library", "Platforms", "Internals", "Questions", "People"]
TOPICS = ["Releases", "Meetings", "How to", "Opinions", "Tools", "History", "Speed", "Security"]
TAGS = ["syntax", "regex", "unicode", "build", "modules", "objects", "threads", "debugging", "input", "output", "numbers", "strings", "hashes", "arrays", "files", "testing"]


def text(paragraphs, count=4, length=1200):
    return "".join(f"<p>{escape(one[:length])}</p>" for one in paragraphs[:count])


def page(title, person, body, parent=None, shown=True, **more):
    made = create_page(title, "page.html", "en", slug=slug(title), parent=parent, in_navigation=shown, created_by=person, **more)
    add_plugin(made.placeholders.get(slot="content"), "TextPlugin", "en", body=body)
    return made


def translated(made, language, title, body):
    create_title(language, title, made, slug=slug(title))
    add_plugin(made.placeholders.get(slot="content"), "TextPlugin", language, body=body)


@transaction.atomic
def main():
    Site.objects.update_or_create(pk=1, defaults={"domain": "127.0.0.1", "name": "The manual"})
    users = [get_user_model().objects.create_user(name.split()[0].lower(), first_name=name.split()[0], last_name=name.split()[1], is_staff=True, is_superuser=True) for name in PEOPLE]
    named = sections()
    docs = documents()
    home = page("The manual", users[0], text(named[900][1].paragraphs))
    translated(home, "de", "Das Handbuch", text(named[901][1].paragraphs))
    translated(home, "fr", "Le manuel", text(named[902][1].paragraphs))
    home.set_as_homepage()
    every = [home]
    for place, part in enumerate(PARTS):
        top = page(part, users[place], text(named[910 + place][1].paragraphs))
        if place < 4:
            translated(top, "de", f"Teil {place + 1}", text(named[920 + place][1].paragraphs))
        if place == 0:
            translated(top, "fr", "Langue", text(named[930][1].paragraphs))
        every.append(top)
        for number, doc in enumerate(docs[place * 12:place * 12 + 12]):
            one = page(f"{doc.title} ({doc.name})"[:80], users[number % 8], "".join(f"<h2>{escape(part.heading)}</h2>{text(part.paragraphs)}" for part in doc.sections[:2]), top)
            if number % 4 == 0:
                translated(one, "de", f"Zu {doc.name}", text(named[940 + place * 12 + number][1].paragraphs))
            every.append(one)
    config = BlogConfig.objects.first() or BlogConfig()
    config.namespace, config.app_title = "blog", "Blog"
    config.app_data.config.menu_structure = "categories"
    config.save()
    blog = page("Blog", users[0], "", apphook="BlogApp", apphook_namespace="blog")
    for language in ("de", "fr"):
        create_title(language, "Blog", blog, slug="blog")
    for language in ("en", "de", "fr"):
        for plugin in ("BlogCategoryPlugin", "BlogTagsPlugin", "BlogArchivePlugin", "BlogAuthorPostsListPlugin"):
            add_plugin(home.placeholders.get(slot="content"), plugin, language, app_config=config)
    for one in [*every, blog]:
        for language in one.get_languages():
            one.publish(language)
    topics = [BlogCategory.objects.language("en").create(name=name, app_config=config) for name in TOPICS]
    for number, topic in enumerate(topics[:3]):
        topic.create_translation("de", name=f"Thema {number + 1}", slug=f"thema-{number + 1}")
    for number in range(420):
        doc, section = named[number]
        when = START + timedelta(hours=number * 53)
        post = Post.objects.language("en").create(
            title=f"{section.heading.capitalize()} ({doc.name})"[:120], abstract=text(section.paragraphs, 1, 300), post_text=text(section.paragraphs, 4), author=users[number * 5 % 8],
            app_config=config, publish=True, date_published=when)
        post.categories.add(*{topics[number * number % 8], topics[number * 31 % 97 % 8]})
        post.tags.add(*{TAGS[(number * 5 + step * 7) % 16] for step in range(1 + number % 3)})
        if number % 5 == 0:
            other = named[number + 300]
            post.create_translation("de", title=f"{doc.name}, was dazu zu sagen ist {number}", abstract=text(other[1].paragraphs, 1, 300), post_text=text(other[1].paragraphs))


main()
