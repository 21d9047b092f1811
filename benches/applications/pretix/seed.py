"""A box office: twelve events of their own, and four series of some dozen dates each, which repeat sections of the manual."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal

import django

django.setup()

from django.db import transaction
from django_scopes import scopes_disabled
from i18nfield.strings import LazyI18nString
from pretix.base.models import Event, Item, ItemCategory, Organizer, Quota, SubEvent
from texts import documents, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
PLACES = ["Great hall", "Library", "Reading room", "Cellar", "Roof"]
SERIES = [("guide", "Guided tours", 60), ("readings", "Readings", 45), ("courses", "Courses", 40), ("concerts", "Concerts", 30)]
EVERY = sections()


def told(text):
    return LazyI18nString({"en": text})


def event(organizer, slug, name, begins, text, has_subevents=False):
    made = Event.objects.create(
        organizer=organizer, slug=slug, name=told(name), date_from=begins, date_to=begins + timedelta(hours=3), currency="EUR",
        live=True, is_public=True, has_subevents=has_subevents, location=told(PLACES[len(slug) % 5]), plugins="pretix.plugins.banktransfer")
    made.settings.frontpage_text = told(text)
    made.settings.timezone = "UTC"
    made.settings.locales = ["en", "de"]
    made.settings.locale = "en"
    made.settings.show_quota_left = True
    made.settings.waiting_list_enabled = True
    return made


def goods(made, number):
    """Tickets in two categories."""
    items = []
    for place, kind in enumerate(("Tickets", "Extras")):
        category = ItemCategory.objects.create(event=made, name=told(kind), position=place, description=told(EVERY[number + place][1].paragraphs[0][:200]))
        for turn, what in enumerate((("Adults", "Children", "Patrons"), ("Programme", "Lunch"))[place]):
            items.append(Item.objects.create(event=made, category=category, name=told(what), position=turn, default_price=Decimal(8 + 5 * turn + number % 4), active=True))
    return items


def quota(made, items, subevent=None, size=100):
    one = Quota.objects.create(event=made, subevent=subevent, name="All", size=size)
    one.items.set(items)


@transaction.atomic
def main():
    organizer = Organizer.objects.create(name="The manual", slug="manual")
    organizer.settings.organizer_info_text = told(documents(1)[0].sections[0].paragraphs[0][:600])
    organizer.settings.event_list_availability = True
    organizer.settings.event_list_type = "list"
    for number, doc in enumerate(documents(24)[::2]):
        made = event(organizer, doc.name, doc.title.capitalize(), TODAY + timedelta(days=9 * number - 20, hours=18),
                     "\n\n".join(doc.sections[0].paragraphs[:4])[:2000])
        quota(made, goods(made, number), size=(number % 4) * 30)
    for number, (slug, name, count) in enumerate(SERIES):
        made = event(organizer, slug, name, TODAY + timedelta(hours=10), EVERY[number * 50][1].paragraphs[0][:900], has_subevents=True)
        made.settings.event_list_type = ("calendar", "week", "list", "calendar")[number]
        items = goods(made, number + 30)
        for turn in range(count):
            section = EVERY[number * 100 + turn][1]
            begins = TODAY + timedelta(days=(turn - 6) * (2 + number), hours=10 + turn % 9)
            one = SubEvent.objects.create(event=made, active=True, is_public=True, name=told(section.heading[:80]), date_from=begins,
                                          date_to=begins + timedelta(hours=2), location=told(PLACES[turn % 5]),
                                          frontpage_text=told("\n\n".join(section.paragraphs[:6])[:3000]))
            quota(made, items, one, (turn % 5) * 20)


with scopes_disabled():
    main()
