"""A blog of 600 posts about the manual in twelve categories, with tags, comments and ratings, and forty pages in a tree."""

from datetime import datetime, timedelta, timezone
from html import escape

import django

django.setup()

from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from mezzanine.blog.models import BlogCategory, BlogPost
from mezzanine.generic.models import AssignedKeyword, Keyword, Rating, ThreadedComment
from mezzanine.pages.models import RichTextPage
from texts import PEOPLE, documents, sections

START = datetime(2023, 2, 1, 9, tzinfo=timezone.utc)
POSTS = 600
EVERY = sections()
TAGS = ("syntax", "regex", "unicode", "build", "modules", "objects", "threads", "debugging", "input", "output", "numbers", "strings", "hashes", "arrays",
        "files", "history", "platforms", "testing")


def html(paragraphs):
    return "".join(f"<p>{escape(one[:1500])}</p>" for one in paragraphs)


def pages():
    for number, doc in enumerate(documents(10)):
        top = RichTextPage.objects.create(title=doc.title[:60], content=html(doc.sections[0].paragraphs[:5]), in_menus=[1, 2, 3] if number < 6 else [2])
        for section in doc.sections[1:4]:
            words = "+".join(section.heading.lower().split()[:2])
            RichTextPage.objects.create(title=section.heading[:60], parent=top, in_menus=[2],
                                        content=html(section.paragraphs[:6]) + f'<p><a href="/search/?q={escape(words)}&amp;type=">More about it</a></p>')


def post(number, people, categories, tags):
    doc, section = EVERY[number]
    begun = START + timedelta(hours=47 * number + number * number % 60)
    made = BlogPost.objects.create(title=f"{doc.name}: {section.heading}"[:120], user=people[number * 5 % 7 % 6], content=html(section.paragraphs[:8]),
                                   publish_date=begun, status=2)
    made.categories.add(categories[number % 12], *([categories[number * 7 % 12]] if number % 3 == 0 else []))
    for step in range(1 + number % 4):
        AssignedKeyword.objects.create(keyword=tags[(number * 5 + step * 7) % len(tags)], content_object=made)
    if number > 20 and number % 4 == 0:
        made.related_posts.add(*BlogPost.objects.filter(pk__in=[made.pk - 12, made.pk - 5]))
    before = None
    for turn in range(number * number % 9):
        who = PEOPLE[(number + turn * 3) % 8]
        source = EVERY[(number * 31 + turn * 7 + 400) % len(EVERY)][1]
        before = ThreadedComment.objects.create(
            content_type=ContentType.objects.get_for_model(BlogPost), object_pk=str(made.pk), site_id=1, user_name=who, is_public=True,
            user_email=f"{who.split()[0].lower()}@example.org", comment=source.paragraphs[0][:700], submit_date=begun + timedelta(hours=5 * turn + 2),
            replied_to=before if turn % 3 == 2 else None)
    for turn in range(number % 5):
        Rating.objects.create(value=1 + (number + turn) % 5, content_object=made)
    made.save()


@transaction.atomic
def main():
    people = []
    for name in PEOPLE[:6]:
        first, last = name.split()
        people.append(get_user_model().objects.create_user(first.lower(), f"{first.lower()}@example.org", "fixed-password", first_name=first, last_name=last))
    categories = [BlogCategory.objects.create(title=doc.title[:40]) for doc in documents(48)[::4]]
    tags = [Keyword.objects.create(title=tag) for tag in TAGS]
    pages()
    for number in range(POSTS):
        post(number, people, categories, tags)


main()
