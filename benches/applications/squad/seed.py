"""What became of 40 tests and six measures on three boards, for 42 builds of three projects."""

import json
from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from squad.core.models import Build, Group, KnownIssue, Project
from squad.core.tasks import ReceiveTestRun
from texts import documents, sections, slug

START = datetime(2024, 3, 5, 7, tzinfo=timezone.utc)
BOARDS = ["oak", "pine", "rowan"]
EVERY = sections()
random = Random(29)


def suites():
    """Names of tests, with how often each fails."""
    made = {}
    for number, doc in enumerate(documents()[4:8]):
        for step, section in enumerate((doc.sections * 10)[:10]):
            made[f"{doc.name}/{slug(section.heading)[:28]}-{step}"] = (0, 0, 0, 0.03, 0.3)[(number + step) % 5]
    return made


def main():
    tests = suites()
    for number, (place, name) in enumerate((("guide", "stable"), ("guide", "next"), ("reference", "stable"))):
        group, _ = Group.objects.get_or_create(slug=place, defaults={"name": place.title(), "description": f"Builds of the {place}"})
        project = Project.objects.create(group=group, slug=name, name=f"{place.title()} {name}", is_public=True, datetime=START,
                                         description=EVERY[number][1].paragraphs[0][:300])
        receive = ReceiveTestRun(project)
        for step in range(14):
            version, when = f"v{5 + number}.{30 + step}", START + timedelta(days=step * 3 + number, hours=number)
            Build.objects.create(project=project, version=version, datetime=when)
            for turn, board in enumerate(BOARDS):
                broken = {test for at, test in enumerate(tests) if at % 13 == 4 and 4 + turn <= step < 9}
                results = {test: "skip" if (at + turn) % 17 == 3 else "fail" if test in broken or random.random() < often else "pass"
                           for at, (test, often) in enumerate(tests.items())}
                measures = {f"speed/{what}": round(random.gauss(mean, mean / 40), 3)
                            for what, mean in (("read", 40), ("write", 22), ("start", 3.1), ("sort", 8), ("match", 15), ("join", 5))}
                log = "\n".join(line for _, section in EVERY[step * 7 + turn:step * 7 + turn + 3] for line in section.paragraphs[:2])
                receive(version, board, tests_file=json.dumps(results), metrics_file=json.dumps(measures), log_file=log,
                        metadata_file=json.dumps({"job_id": f"{place}-{name}-{step}-{turn}", "datetime": (when + timedelta(minutes=20 * turn)).isoformat(),
                                                  "board": board, "compiler": f"gcc-{12 + step // 6}", "revision": f"{step * 7919 + number:08x}"}))
    issue = KnownIssue.objects.create(title="Fails now and then on oak", test_name=list(tests)[4], notes=EVERY[9][1].paragraphs[0][:200], active=True)
    issue.environments.set(project.environments.filter(slug="oak"))


main()
