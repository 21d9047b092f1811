"""A forum of 180 topics about the manual in seven forums, with some two thousand posts by twenty people."""

from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from django.contrib.auth import get_user_model
from django.db import transaction
from machina.apps.forum.models import Forum
from machina.apps.forum_conversation.models import Post, Topic
from machina.apps.forum_permission.models import ForumPermission, UserForumPermission
from texts import logins, sections

GUESTS_MAY = ["can_see_forum", "can_read_forum", "can_start_new_topics", "can_reply_to_topics", "can_download_file"]
START = datetime(2024, 2, 1, 9, tzinfo=timezone.utc)
random = Random(4)


def forums():
    made = []
    for title in ("Guide", "Reference", "Questions"):
        top = Forum.objects.create(name=title, type=Forum.FORUM_CAT, description=f"About the {title.lower()}")
        for part in ("Beginners", "Internals") if title != "Questions" else ("General", "Platforms", "Off topic"):
            made.append(Forum.objects.create(name=f"{title}: {part}", type=Forum.FORUM_POST, parent=top, description=f"{part} in {title.lower()}"))
    return made


@transaction.atomic
def main():
    for right in ForumPermission.objects.filter(codename__in=GUESTS_MAY):
        UserForumPermission.objects.create(permission=right, anonymous_user=True, has_perm=True)
    people = []
    for name in logins(20):
        people.append(get_user_model().objects.create_user(name, f"{name}@example.org", "fixed-password"))
    places, every = forums(), sections()
    for number in range(180):
        doc, section = every[number]
        subject = f"{doc.name}: {section.heading}"[:120]
        topic = Topic.objects.create(forum=places[number * 3 % len(places)], poster=people[number * 7 % 20], subject=subject, approved=True,
                                     type=Topic.TOPIC_STICKY if number % 30 == 0 else Topic.TOPIC_POST, status=Topic.TOPIC_UNLOCKED)
        begun = START + timedelta(hours=29 * number)
        for turn in range(1 + min(60, int(random.expovariate(1 / 11)))):
            source = section if turn == 0 else every[(number * 31 + turn * 7 + 400) % len(every)][1]
            post = Post.objects.create(topic=topic, poster=people[(number * 7 + turn * turn) % 20], approved=True,
                                       subject=subject if turn == 0 else f"Re: {subject}"[:255], content=source.paragraphs[turn % len(source.paragraphs)][:900])
            moment = begun + timedelta(hours=2 * turn)
            Post.objects.filter(pk=post.pk).update(created=moment, updated=moment)
        Topic.objects.filter(pk=topic.pk).update(created=begun, updated=moment, last_post_on=moment)
    for place in places:
        place.update_trackers()


main()
