"""Three conferences about the manual: 80 talks and workshops each by some fifty people, in four to six editions of the schedule, in English and German."""

import datetime as dt
from random import Random

import django

django.setup()

from django.db import transaction
from django_scopes import scope, scopes_disabled
from pretalx.event.models import Event, Organiser
from pretalx.person.models import SpeakerProfile, User
from pretalx.schedule.models import Room
from pretalx.submission.models import Submission, SubmissionType, Track
from texts import PEOPLE, sections

random = Random(29)
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ3789"
UTC = dt.timezone.utc
ROOMS = ("Great hall", "Library", "Workshop room", "Cellar")
TRACKS = (("Language", "#2e5a88"), ("Inside", "#8a2e4d"), ("Modules", "#3b7a57"), ("People", "#7a5a1e"))


def code():
    return "".join(random.choice(LETTERS) for _ in range(6))


def conference(slug, name, begin, editions, texts, organiser, people):
    with scopes_disabled():
        event = Event.objects.create(
            name=name, slug=slug, organiser=organiser, is_public=True, date_from=begin, date_to=begin + dt.timedelta(days=2), timezone="UTC", email="talks@example.org",
            locale_array="en,de", content_locale_array="en,de", locale="en", landing_page_text=f"# {name}\n\nThree days about the manual, in four rooms.",
        )
    with scope(event=event):
        kinds = [event.cfp.default_type, SubmissionType.objects.create(event=event, name="Workshop", default_duration=90)]
        tracks = [Track.objects.create(event=event, name=track, color=color) for track, color in TRACKS]
        rooms = [Room.objects.create(event=event, name=room, position=number) for number, room in enumerate(ROOMS)]
        event.feature_flags["use_tracks"] = True
        event.feature_flags["show_featured"] = "always"
        event.cfp.deadline = dt.datetime.combine(begin - dt.timedelta(days=90), dt.time(12), UTC)
        event.cfp.headline, event.cfp.text = "Tell us what you know", "Talks of half an hour, workshops of an hour and a half."
        event.cfp.save()
        event.save()
        for person in people:
            document, section = random.choice(texts)
            SpeakerProfile.objects.create(user=person, event=event, biography=f"{person.name} works with {document.name}.\n\n" + "\n\n".join(section.paragraphs[:2]))
        talks = []
        for number, (document, section) in enumerate(texts):
            kind = kinds[number % 6 == 5]
            talk = Submission.objects.create(
                event=event, code=code(), title=section.heading[:190], submission_type=kind, track=tracks[number % 4], content_locale="en", abstract="\n\n".join(section.paragraphs[:2]),
                description="\n\n".join(section.paragraphs[2:6]), is_featured=number % 9 == 0,
            )
            talk.speakers.add(people[number * 7 % len(people)])
            if number % 8 == 3:
                talk.speakers.add(people[(number * 7 + 5) % len(people)])
            talk.accept()
            talk.confirm()
            talks.append(talk)
        slots = [(day, hour, room) for day in range(3) for hour in range(8) for room in rooms]
        for edition in range(editions):
            taken = list(slots)
            if edition:
                # A few have another place than before.
                for _ in range(5):
                    one, other = random.randrange(len(talks)), random.randrange(len(talks))
                    taken[one], taken[other] = taken[other], taken[one]
                slots = taken
            known = talks[: len(talks) - (editions - 1 - edition) * 3]
            for talk, (day, hour, room) in zip(known, taken):
                slot = talk.slots.filter(schedule=event.wip_schedule).first()
                slot.start = dt.datetime.combine(begin + dt.timedelta(days=day), dt.time(9 + hour), UTC)
                slot.end = slot.start + dt.timedelta(minutes=min(talk.get_duration(), 60))
                slot.room = room
                slot.save()
            event.wip_schedule.freeze(f"0.{edition + 1}" if edition < editions - 1 else "1.0", notify_speakers=False, comment=("First draft", "Rooms changed", "More talks", "Ready")[edition % 4])
            latest = event.schedules.exclude(version=None).order_by("-pk").first()
            latest.published = dt.datetime.combine(begin - dt.timedelta(days=40 - 6 * edition), dt.time(18), UTC)
            latest.save()


@transaction.atomic
def main():
    with scopes_disabled():
        organiser = Organiser.objects.create(name="Friends of the manual", slug="friends")
        people = [User.objects.create_user(email=f"person{number}@example.org", name=f"{PEOPLE[number % 8].split()[0]} {PEOPLE[number * 3 // 8 % 8].split()[1]} {'' if number < 8 else number}".strip(), code=code()) for number in range(52)]
    texts = [one for one in sections() if len(one[1].paragraphs) > 2]
    for number, (slug, name, begin, editions) in enumerate((("m2022", "Manual Days 2022", dt.date(2022, 9, 16), 4), ("m2023", "Manual Days 2023", dt.date(2023, 9, 15), 5), ("m2024", "Manual Days 2024", dt.date(2024, 9, 20), 6))):
        conference(slug, name, begin, editions, texts[number * 80:number * 80 + 80], organiser, people[number * 4:number * 4 + 44])


main()
