"""A wiki of 136 articles about the manual in a tree of three levels, in one to seven versions by eight people."""

from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from django.contrib.auth import get_user_model
from django.db import transaction
from wiki.models import Article, ArticleRevision, URLPath
from texts import documents, logins, slug

PARTS = ("language", "functions", "modules", "inside", "systems", "history")
START = datetime(2024, 1, 8, 9, tzinfo=timezone.utc)
random = Random(11)


def body(title, sections, others):
    """Markdown of some sections, each with a link to another article and now and then one to what is not there."""
    parts = [f"{title}.", "[TOC]"]
    for number, section in enumerate(sections):
        parts += [f"## {section.heading}", *(paragraph.replace("[", "(").replace("]", ")").replace("<", "&lt;") for paragraph in section.paragraphs[:4])]
        if others:
            place, name = others[(number * 7 + len(section.heading)) % len(others)]
            parts.append(f"See [{name}](wiki:/{place}/).")
        if number % 4 == 3:
            parts.append(f"Nobody wrote [about {slug(section.heading)}](wiki:/language/{slug(section.heading)}-more/) yet.")
    return "\n\n".join(parts)


def revised(article, title, texts, people, begun):
    for number, text in enumerate(texts):
        person = people[(article.pk + number * 3) % len(people)]
        if number:
            article.add_revision(ArticleRevision(title=title, content=text, user=person, user_message=("more about it", "clearer", "a link", "as it is now")[number % 4]))
        revision = article.current_revision
        revision.user = person
        revision.save()
        ArticleRevision.objects.filter(pk=revision.pk).update(created=begun + timedelta(hours=37 * number), modified=begun + timedelta(hours=37 * number))
    Article.objects.filter(pk=article.pk).update(created=begun, modified=begun + timedelta(hours=37 * (len(texts) - 1)))


@transaction.atomic
def main():
    people = [get_user_model().objects.create_user(name, password="none") for name in logins(8)]
    root = URLPath.create_root(title="Manual", content="# Manual\n\nWhat is known, by part.\n\n" + "\n".join(f"* [{part}](wiki:/{part}/)" for part in PARTS) + "\n\n[article_list depth:2]", user=people[0])
    revised(root.article, "Manual", [root.article.current_revision.content], people, START)
    parts = {part: URLPath.create_urlpath(root, part, title=part.capitalize(), content=f"Articles about {part}.\n\n[article_list depth:1]", user=people[1]) for part in PARTS}
    for part, path in parts.items():
        revised(path.article, part.capitalize(), [path.article.current_revision.content], people, START + timedelta(hours=1))
    docs = documents(100)
    places = [(f"{PARTS[number % len(PARTS)]}/{doc.name}", doc.name) for number, doc in enumerate(docs)]
    for number, doc in enumerate(docs):
        begun = START + timedelta(hours=20 * number)
        sections = doc.sections[:8]
        versions = [body(doc.title, sections[:max(1, len(sections) - left)], places) for left in reversed(range(min(1 + random.randrange(7), len(sections))))]
        path = URLPath.create_urlpath(parts[PARTS[number % len(PARTS)]], doc.name, title=doc.name, content=versions[0], user=people[0])
        revised(path.article, doc.name, versions, people, begun)
        if number % 2 == 0 and len(doc.sections) > 8:
            for section in doc.sections[8:9]:
                below = URLPath.create_urlpath(path, slug(section.heading), title=section.heading, content=body(section.heading, [section], places), user=people[2])
                revised(below.article, section.heading, [below.article.current_revision.content], people, begun + timedelta(hours=5))


main()
