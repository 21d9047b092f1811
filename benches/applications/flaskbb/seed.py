"""A forum of 240 topics about the manual in nine forums, with some twenty-five hundred posts by 24 people."""

from datetime import datetime, timedelta, timezone
from random import Random

from flaskbb.extensions import db
from flaskbb.forum.models import Category, Forum, Post, Topic
from flaskbb.user.models import Group, User
from flaskbb.utils.populate import create_default_groups, create_default_settings, create_latest_db, create_user, run_plugin_migrations
from flaskbb.utils.settings import flaskbb_config
from forum_site import application
from texts import logins, sections

START = datetime(2024, 2, 1, 9, tzinfo=timezone.utc)
EVERY = sections()
random = Random(6)


def users():
    made = [create_user("keeper", "fixed-password", "keeper@example.org", "admin")]
    for number, name in enumerate(logins(24)):
        one = create_user(name, "fixed-password", f"{name}@example.org", "super_mod" if number == 3 else "member")
        one.date_joined = one.lastseen = START - timedelta(days=90 - number * 3)
        one.location, one.website = ("Bergen", "Cadiz", "Delft", None)[number % 4], f"https://{name}.example.org/" if number % 3 == 0 else None
        one.signature = EVERY[number + 700][1].heading if number % 3 == 1 else None
        one.notes = EVERY[number + 800][1].paragraphs[0][:500] if number % 2 else None
        made.append(one)
    return made[1:]


def forums():
    made, groups = [], Group.query.all()
    for place, title in enumerate(("Guide", "Reference", "Questions")):
        top = Category(title=title, description=f"About the {title.lower()}", position=place + 1)
        top.save()
        for step, part in enumerate(("Beginners", "Internals", "Platforms") if title != "Questions" else ("General", "Books", "Off topic")):
            one = Forum(title=f"{title}: {part}", description=f"{part} in {title.lower()}", category_id=top.id, position=step + 1)
            one.groups = groups
            one.save()
            made.append(one)
    return made


def said(section, turn):
    """What somebody writes about a section, with a quotation now and then."""
    text = section.paragraphs[turn % len(section.paragraphs)][:900]
    return f"> {text[:120]}\n\n{text[120:] or text}" if turn % 5 == 4 else text


def main():
    create_latest_db()
    create_default_groups()
    create_default_settings()
    run_plugin_migrations()
    flaskbb_config["PROJECT_TITLE"] = "Manual forum"
    people, places = users(), forums()
    topics = []
    for number in range(240):
        doc, section = EVERY[number]
        begun = START + timedelta(hours=29 * number)
        # A title is as long as its setting lets it, by default.
        topic = Topic(title=f"{doc.name}: {section.heading}"[:120], user=people[number * 7 % 24])
        topic.forum_id, topic.important, topic.locked = places[number * 5 % 9].id, number % 40 == 0, number % 23 == 5
        topic.views = number * 37 % 500
        db.session.add(topic)
        db.session.flush()
        count = 1 + min(55, int(random.expovariate(1 / 11)))
        posts = []
        for turn in range(count):
            post = Post(content=said(section if turn == 0 else EVERY[(number * 31 + turn * 7 + 400) % len(EVERY)][1], turn),
                        user=people[(number * 7 + turn * turn) % 24], topic=topic.id)
            post.date_created = begun + timedelta(hours=2 * turn)
            posts.append(post)
        db.session.add_all(posts)
        db.session.flush()
        topic.date_created, topic.last_updated, topic.post_count = begun, posts[-1].date_created, count
        topic.first_post_id, topic.last_post_id = posts[0].id, posts[-1].id
        topics.append(topic)
    db.session.commit()
    for place in places:
        place.recalculate(last_post=True)
    for one in people:
        User.recalculate(one)


with application.app_context():
    main()
