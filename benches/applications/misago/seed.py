"""A forum of 240 threads about the manual in twelve categories, some with a best answer, with posts by forty people."""

from datetime import datetime, timedelta, timezone
from html import escape
from random import Random

import django

django.setup()

from django.contrib.auth import get_user_model
from django.db import transaction
from misago.acl.cache import clear_acl_cache
from misago.categories.models import Category, RoleCategoryACL
from misago.threads.checksums import update_post_checksum
from misago.threads.models import Post, Thread
from misago.users.test import create_test_user
from texts import logins, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
THREADS = 240
random = Random(5)


def users():
    made = []
    for name in map(str.capitalize, logins(40)):
        made.append(create_test_user(name, f"{name}@example.org".lower(), "fixed-password"))
    get_user_model().objects.update(joined_on=TODAY - timedelta(days=400))
    return made


def category(parent, name, like):
    made = Category(name="", description=f"All about {name.lower()}")
    made.set_name(name)
    made.insert_at(parent, position="last-child", save=True)
    RoleCategoryACL.objects.bulk_create(RoleCategoryACL(role_id=one.role_id, category=made, category_role_id=one.category_role_id) for one in like.category_role_set.all())
    return made


def categories():
    root, like = Category.objects.root_category(), Category.objects.all_categories()[0]
    made = [like]
    for title in ("Guide", "Reference", "Questions", "Platforms"):
        top = category(root, title, like)
        made.append(top)
        for part in ("for beginners", "in depth") if title != "Platforms" else ("Unix", "others", "of old"):
            top.refresh_from_db()
            made.append(category(top, f"{title} {part}", like))
    clear_acl_cache()
    return [Category.objects.get(pk=one.pk) for one in made]


@transaction.atomic
def threads(people, places):
    every = sections()
    for number in range(THREADS):
        doc, section = every[number]
        begun = TODAY - timedelta(days=100 - number / 3, minutes=number * 13 % 700)
        thread = Thread(category=places[number * 5 % len(places)], started_on=begun, starter_name="-", starter_slug="-", last_post_on=begun, last_poster_name="-",
                        last_poster_slug="-", replies=0, is_closed=number % 23 == 0, weight=number % 97 == 0)
        thread.set_title(f"{doc.name}: {section.heading}"[:90])
        thread.save()
        posts = []
        for turn in range(1 + min(90, int(random.expovariate(1 / 12)))):
            author = people[(number * 7 + turn * turn) % 40]
            one = section if turn == 0 else every[(number * 31 + turn * 7 + 400) % len(every)][1]
            text = [part[:700] for part in one.paragraphs[:1 + turn % 3]]
            when = begun + timedelta(hours=3 * turn)
            post = Post.objects.create(category=thread.category, thread=thread, poster=author, poster_name=author.username, original="\n\n".join(text),
                                       parsed="\n".join(f"<p>{escape(part)}</p>" for part in text), posted_on=when, updated_on=when)
            update_post_checksum(post)
            post.save(update_fields=["checksum"])
            posts.append(post)
        thread.first_post = posts[0]
        if number % 6 == 2 and len(posts) > 3:
            best = posts[len(posts) // 2]
            thread.best_answer, thread.best_answer_is_protected, thread.best_answer_marked_on = best, False, best.posted_on
            thread.best_answer_marked_by_name, thread.best_answer_marked_by_slug = thread.starter_name, thread.starter_slug
        thread.synchronize()
        thread.save()
    for one in Category.objects.all():
        one.synchronize()
        one.save()


threads(users(), categories())
for one in get_user_model().objects.all():
    one.posts, one.threads = one.post_set.count(), one.thread_set.count()
    one.save(update_fields=["posts", "threads"])
