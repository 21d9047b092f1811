"""A laboratory of 24 boards of 8 types on three workers, and 300 jobs that tested sections of the manual on them, with logs and results."""

import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from random import Random

import django

django.setup()

from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sites.models import Site
from django.db import transaction
from lava_results_app.models import Chart, ChartQuery, Query, QueryCondition, TestCase, TestData, TestSet, TestSuite
from lava_scheduler_app.models import Alias, Architecture, Device, DeviceType, JobFailureTag, Tag, TestJob, Worker
from texts import PEOPLE, sections, slug

START = datetime(2024, 2, 1, 9, tzinfo=timezone.utc)
EVERY = sections()
random = Random(11)


def told(number, length=300):
    return EVERY[number % len(EVERY)][1].paragraphs[0][:length]


def boards():
    workers = [Worker.objects.create(hostname=f"worker-{name}", description=told(number), state=Worker.STATE_OFFLINE, health=Worker.HEALTH_ACTIVE, version="2023.01",
                                     last_ping=START) for number, name in enumerate(("cellar", "attic", "annex"))]
    tags = [Tag.objects.create(name=name, description=told(40 + number, 120)) for number, name in enumerate(("usb", "hdmi", "big-disk", "serial", "wifi"))]
    made = []
    for number, name in enumerate(("alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple")):
        kind = DeviceType.objects.create(name=f"{name}-board", description=told(60 + number), cpu_model=f"{name.title()} {400 + number}", core_count=1 + number % 4,
                                         architecture=Architecture.objects.get_or_create(name=("arm64", "riscv64", "amd64")[number % 3])[0], health_frequency=24)
        Alias.objects.create(name=f"{name}-any", device_type=kind)
        for copy in range(1 + number * 2 % 5):
            board = Device.objects.create(hostname=f"{name}-{copy + 1:02}", device_type=kind, worker_host=workers[(number + copy) % 3], description=told(100 + len(made)),
                                          health=(Device.HEALTH_GOOD, Device.HEALTH_BAD, Device.HEALTH_MAINTENANCE, Device.HEALTH_UNKNOWN)[(number + copy) % 4],
                                          physical_owner=User.objects.get(pk=number % 8 + 1), device_version=f"rev {copy}")
            board.tags.set([tags[(number + copy) % 5], tags[(number + 2 * copy + 1) % 5]])
            for turn in range(1 + copy % 3):
                board.log_admin_entry(board.physical_owner, told(200 + len(made) * 3 + turn, 140))
            made.append(board)
    return made


def job(number, device, author, reasons):
    doc, section = EVERY[number]
    begun = START + timedelta(hours=5 * number, minutes=number % 37)
    health = (TestJob.HEALTH_COMPLETE, TestJob.HEALTH_COMPLETE, TestJob.HEALTH_INCOMPLETE, TestJob.HEALTH_COMPLETE, TestJob.HEALTH_CANCELED)[number * 7 % 5]
    definition = (f"job_name: {doc.name}\ndevice_type: {device.device_type.name}\nvisibility: public\n"
                  f"# {section.paragraphs[0][:500]}\nactions:\n- deploy:\n    to: tftp\n- test:\n    name: {slug(section.heading)}\n")
    made = TestJob.objects.create(
        submitter=author, requested_device_type=device.device_type, actual_device=device, is_public=True, description=f"{doc.name}: {section.heading}"[:180],
        health_check=number % 10 == 0, submit_time=begun, state=TestJob.STATE_FINISHED, health=health, priority=(0, 50, 100)[number % 3], definition=definition,
        original_definition=definition, start_time=begun + timedelta(minutes=3), end_time=begun + timedelta(minutes=7 + number * 13 % 190),
        failure_comment=told(number + 700, 200) if health == TestJob.HEALTH_INCOMPLETE else None)
    TestJob.objects.filter(pk=made.pk).update(submit_time=begun)
    made.refresh_from_db()
    if health == TestJob.HEALTH_INCOMPLETE:
        made.failure_tags.set([reasons[number % len(reasons)]])
    TestData.objects.create(testjob=made)
    folder = Path(made.output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    said = [one for _, part in EVERY[number * 3:number * 3 + 3] for paragraph in part.paragraphs[:6] for one in paragraph[:700].split(". ")][:60]
    (folder / "output.yaml").write_text("".join(
        "- " + json.dumps({"dt": f"{begun + timedelta(minutes=3, seconds=turn):%Y-%m-%dT%H:%M:%S}", "lvl": ("info", "target", "debug")[turn % 3], "msg": one}) + "\n"
        for turn, one in enumerate(said)))
    for turn, name in enumerate(("lava", slug(doc.name), slug(section.heading))[:2 + number % 2]):
        suite = TestSuite.objects.create(job=made, name=f"{turn}_{name}" if turn else "lava")
        group = TestSet.objects.create(name=f"set-{slug(doc.title)}", suite=suite) if turn == 2 else None
        for step in range(3 + (number + turn) % 6):
            TestCase.objects.create(name=slug(EVERY[(number + step * 17 + turn * 5) % 300][1].heading), suite=suite, test_set=group if step % 2 else None,
                                    result=random.choice((0, 0, 0, 1, 2, 3)), measurement=Decimal(random.randrange(9000)) / 100 if step % 2 else None, units="seconds" if step % 2 else "",
                                    start_log_line=step * 4, end_log_line=step * 4 + 3)
        suite.testcase_set.update(logged=begun + timedelta(minutes=4 + turn))
    return made


def questions(people):
    entity = ContentType.objects.get_for_model(TestJob)
    for number, word in enumerate(("hash", "file", "pattern", "function")):
        query = Query.objects.create(name=f"{word}-jobs", owner=people[number], description=told(900 + number), content_type=entity, is_published=True, is_live=True, limit=100)
        QueryCondition.objects.create(query=query, table=entity, field="description", operator="icontains", value=word)
        chart = Chart.objects.create(name=f"{word}-chart", owner=people[number], description=told(920 + number), is_published=True)
        ChartQuery.objects.create(chart=chart, query=query)


@transaction.atomic
def main():
    Site.objects.update(domain="127.0.0.1", name="127.0.0.1")
    people = [User.objects.create_user(name.split()[0].lower(), f"{name.split()[0].lower()}@example.org", "fixed-password", first_name=name.split()[0]) for name in PEOPLE]
    Group.objects.create(name="keepers").user_set.set(people[:3])
    devices = boards()
    reasons = [JobFailureTag.objects.create(name=name, description=told(50 + number, 150)) for number, name in enumerate(("network", "power", "boot", "disk"))]
    made = [job(number, devices[number * 5 % len(devices)], people[number * 3 % 8], reasons) for number in range(300)]
    for device in devices:
        last = [one for one in made if one.actual_device_id == device.pk]
        if last:
            device.last_health_report_job = last[-1]
            device.save()
    questions(people)


main()
