"""Three calendars of what is once, each week and each month, for a year before today and one after."""

from datetime import datetime, time, timedelta, timezone

import django

django.setup()

from schedule.models import Calendar, Event, Rule

from texts import PEOPLE, sections

TODAY = datetime.combine(datetime.now(timezone.utc).date(), time(), timezone.utc)
CALENDARS = (("Lectures", "lectures", 60), ("Hall", "hall", 34), ("Association", "association", 18))


def main():
    every, number = sections(), 0
    rules = {name: Rule.objects.create(name=name, description=f"each {name}", frequency=frequency, params=params)
             for name, frequency, params in (("week", "WEEKLY", ""), ("second week", "WEEKLY", "interval:2"), ("month", "MONTHLY", ""))}
    for title, name, events in CALENDARS:
        calendar = Calendar.objects.create(name=title, slug=name)
        for turn in range(events):
            doc, section = every[number * 2]
            start = TODAY + timedelta(days=number * 47 % 700 - 350, hours=8 + number % 10)
            rule = (None, None, rules["week"] if turn % 8 == 2 else None, rules["second week"] if turn % 12 == 7 else None, rules["month"] if turn % 10 == 4 else None)[turn % 5]
            Event.objects.create(
                title=f"{section.heading[:60]}, by {PEOPLE[number % 8]}", description=" ".join(section.paragraphs)[:150 + number * 41 % 500], start=start, end=start + timedelta(minutes=60 + number % 3 * 30),
                rule=rule, end_recurring_period=start + timedelta(days=90 + number % 5 * 30) if rule else None, calendar=calendar)
            number += 1


main()
