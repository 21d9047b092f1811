"""Faults of four programs: each with a stack of functions, tags, and what led to it, as programs report them."""

import json
import uuid
from datetime import datetime, timedelta, timezone
from random import Random

chance = Random(5)
uuid.uuid4 = lambda: uuid.UUID(int=chance.getrandbits(128), version=4)

import django

django.setup()

from django.contrib.auth import get_user_model
from django.test import Client
from issues.models import Issue
from projects.models import Project, ProjectMembership
from teams.models import Team
from texts import documents, sections, slug

FAULTS = 90
START = datetime.now(timezone.utc).replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=20)
KINDS = ("ValueError", "KeyError", "TypeError", "TimeoutError", "PermissionError", "ConnectionResetError", "UnicodeDecodeError", "IndexError")
LEVELS = ("error", "error", "warning", "fatal")


def stack(number, docs, every):
    frames = []
    for depth in range(4 + number % 9):
        doc, section = every[(number * 17 + depth * 5) % len(every)]
        lines = [line[:110] for line in section.paragraphs[:7]]
        middle = len(lines) // 2
        frames.append({"filename": f"{doc.name}/{slug(section.heading)}.py", "abs_path": f"/srv/{doc.name}/{slug(section.heading)}.py", "module": doc.name,
                       "function": slug(section.heading).replace("-", "_")[:30], "lineno": 20 + number * 7 % 400 + depth, "in_app": depth % 3 != 0,
                       "pre_context": lines[:middle], "context_line": lines[middle] if lines else "pass", "post_context": lines[middle + 1:],
                       "vars": {"self": f"<{doc.name}>", "count": str(number * depth)}})
    return frames


def main():
    user = get_user_model().objects.create_superuser("ada", "ada@example.org", "fixed-password")
    team = Team.objects.create(name="Manual")
    docs, every, client = documents(), sections(), Client()
    projects = []
    for doc in docs[:4]:
        project = Project.objects.create(name=doc.name.capitalize(), slug=doc.name, team=team)
        ProjectMembership.objects.create(project=project, user=user, accepted=True)
        projects.append(project)
    for number in range(FAULTS):
        project, (doc, section) = projects[number * number % 7 % 4], every[number + 40]
        frames, kind = stack(number, docs, every), KINDS[number * 3 % 8]
        for turn in range(1 + number * number % 12):
            when = START + timedelta(hours=number * 4, minutes=turn * 37)
            event = {
                "event_id": uuid.uuid4().hex, "timestamp": when.isoformat(), "platform": "python", "level": LEVELS[number % 4], "server_name": f"web-{turn % 3 + 1}",
                "release": f"1.{number % 4 + turn // 5}", "environment": ("production", "staging")[turn % 4 == 3], "transaction": f"/{doc.name}/{slug(section.heading)}",
                "exception": {"values": [{"type": kind, "value": section.heading[:80], "stacktrace": {"frames": frames}}]},
                "tags": {"browser": ("Firefox", "Chromium", "Safari")[turn % 3], "part": doc.name},
                "user": {"id": str(1000 + (number * 7 + turn) % 60)},
                "request": {"url": f"https://example.org/{doc.name}/{slug(section.heading)}", "method": "GET", "headers": {"Accept": "text/html"}},
                "breadcrumbs": {"values": [{"timestamp": (when - timedelta(seconds=30 - step)).isoformat(), "category": "query", "level": "info",
                                            "message": every[(number * 3 + step) % len(every)][1].heading} for step in range(3 + number % 6)]},
                "contexts": {"runtime": {"name": "CPython", "version": "3.11.2"}},
            }
            answer = client.post(f"/api/{project.pk}/store/?sentry_key={project.sentry_key.hex}", json.dumps(event), content_type="application/json")
            assert answer.status_code == 200, answer.content
    for number, issue in enumerate(Issue.objects.order_by("project_id", "digest_order")):
        if number % 4 == 1:
            Issue.objects.filter(pk=issue.pk).update(is_resolved=True)
        elif number % 7 == 2:
            Issue.objects.filter(pk=issue.pk).update(is_muted=True)


main()
