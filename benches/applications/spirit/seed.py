"""A forum of 320 topics about the manual in nine categories, with some four thousand comments by forty people."""

from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from django.contrib.auth import get_user_model
from django.db import transaction
from spirit.category.models import Category
from spirit.comment.models import Comment
from spirit.core.utils.markdown import Markdown
from spirit.topic.models import Topic
from texts import logins, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
TOPICS = 320
random = Random(5)


def users():
    made = []
    for name in logins(40):
        made.append(get_user_model().objects.create_user(name, f"{name}@example.org", "fixed-password"))
    return made


def categories():
    made = []
    for place, title in enumerate(["Guide", "Reference", "Questions", "Platforms", "Other"]):
        top = Category.objects.create(title=title, description=f"All about {title.lower()}", sort=place + 5)
        made.append(top)
        if place % 2 == 0:
            made += [Category.objects.create(title=f"{title} {part}", description=f"{part} of {title.lower()}", parent=top, sort=place + 5)
                     for part in ("beginners", "internals")][:2]
    return made


def said(section, turn):
    """What somebody writes about a section, with a quotation now and then."""
    text = section.paragraphs[turn % len(section.paragraphs)][:900]
    return f"> {text[:120]}\n\n{text[120:] or text}" if turn % 5 == 4 else text


@transaction.atomic
def topics(people, places):
    every = sections()
    for number in range(TOPICS):
        doc, section = every[number]
        begun = TODAY - timedelta(days=120 - number / 3, minutes=number * 13 % 700)
        topic = Topic.objects.create(user=people[number * 7 % 40], category=places[number % len(places)], date=begun,
                                     title=f"{doc.name}: {section.heading}"[:120], is_closed=number % 23 == 0, is_pinned=number % 41 == 0)
        count = 1 + min(90, int(random.expovariate(1 / 11)))
        comments = []
        for turn in range(count):
            text = said(section if turn == 0 else every[(number * 31 + turn * 7 + 400) % len(every)][1], turn)
            comments.append(Comment(user=people[(number * 7 + turn * turn) % 40], topic=topic, comment=text,
                                    comment_html=Markdown().render(text), date=begun + timedelta(hours=3 * turn),
                                    likes_count=(number + turn) % 6 == 0))
        Comment.objects.bulk_create(comments)
        Topic.objects.filter(pk=topic.pk).update(comment_count=count - 1, last_active=begun + timedelta(hours=3 * (count - 1)))


topics(users(), categories())
