"""Some hundred questions about the manual with answers, comments, tags and votes."""

from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from askbot.conf import settings as board
from askbot.models import User
from texts import logins, sections

START = datetime(2024, 3, 1, 8, tzinfo=timezone.utc)
TAGS = ["syntax", "files", "regex", "modules", "xs", "unicode", "platforms", "debugging", "style", "history", "functions", "io"]
random = Random(6)


def main():
    for name, value in {"MIN_DAYS_TO_ANSWER_OWN_QUESTION": 0, "LIMIT_ONE_ANSWER_PER_USER": False, "MIN_REP_TO_VOTE_UP": 0,
                        "MAX_VOTES_PER_USER_PER_DAY": 10_000}.items():
        board.update(name, value)
    people = []
    for name in logins(24):
        person = User.objects.create_user(name, f"{name}@example.org", "fixed-password")
        person.receive_reputation(500)
        person.save()
        people.append(person)
    people[0].set_status("d")
    every = sections()
    for number in range(160):
        doc, section = every[number]
        asked = START + timedelta(hours=17 * number)
        asker = people[number * 5 % 24]
        question = asker.post_question(title=f"{doc.name}: {section.heading}"[:150], body_text="\n\n".join(section.paragraphs[:2])[:1200],
                                       tags=" ".join(sorted({TAGS[number % 12], TAGS[number * 5 % 12], TAGS[(number * 7 + 3) % 12]})), timestamp=asked)
        for turn in range(number % 5):
            writer = people[(number * 5 + 1 + turn * 3) % 24]
            if writer == asker:
                continue
            said = every[(number * 31 + turn * 7 + 400) % len(every)][1].paragraphs[0][:1000] + " (in short: read the section once more)"
            answer = writer.post_answer(question=question, body_text=said, timestamp=asked + timedelta(hours=1 + turn))
            if turn % 2:
                asker.post_comment(parent_post=answer, body_text=f"Thank you, {writer.username}: {said[:120]}", timestamp=asked + timedelta(hours=2 + turn))
            people[(number + turn) % 24].upvote(answer, timestamp=asked + timedelta(hours=3 + turn)) if people[(number + turn) % 24] != writer else None


main()
