"""Thirty runs of six playbooks on a few machines each: what was done, by what task of which file, and what it said."""

import hashlib
import json
import uuid
import zlib
from datetime import datetime, timedelta, timezone
from random import Random

import django

django.setup()

from ara.api import models

from texts import PEOPLE, sections, slug

EVERY = sections()
BOOKS = ("site", "web", "database", "mail", "backup", "update")
MACHINES = [f"{kind}{number}.example.org" for kind in ("web", "db", "mail", "build") for number in (1, 2, 3)]
ACTIONS = ("package", "template", "service", "copy", "command", "user", "lineinfile", "cron", "debug")
FIRST = datetime(2024, 5, 6, 4, tzinfo=timezone.utc)


def packed(value):
    return zlib.compress(json.dumps(value).encode())


def file_of(playbook, path, text):
    content, _ = models.FileContent.objects.get_or_create(sha1=hashlib.sha1(text.encode()).hexdigest(), defaults={"contents": zlib.compress(text.encode())})
    return models.File.objects.create(path=path, content=content, playbook=playbook)


def tasks_of(book):
    """Names, actions and what is said of the tasks of a playbook, the same in each run."""
    place = BOOKS.index(book)
    return [(EVERY[place * 20 + turn][1].heading[:60], ACTIONS[(place + turn * 2) % 9], EVERY[place * 20 + turn][1].paragraphs) for turn in range(6 + place % 3)]


def source(book, tasks):
    lines = [f"# {book}", f"- hosts: {book}", "  tasks:"]
    for name, action, told in tasks:
        lines += [f"    - name: {name}", f"      {action}:", f"        name: {slug(name)}", *(f"      # {one[:300]}" for one in told[:3])]
    return "\n".join(lines) + "\n"


def run(number, random):
    book = BOOKS[number * number % 6 if number % 5 else number % 6]
    place, moment = BOOKS.index(book), FIRST + timedelta(days=number * 3, minutes=number * 7 % 60)
    tasks, seconds = tasks_of(book), timedelta(seconds=1)
    fails = number % 7 == 3
    playbook = models.Playbook.objects.create(
        name=f"{book} of all machines" if place % 2 else None, ansible_version="2.16.3", client_version="1.8.0", python_version="3.11.2", server_version="1.8.0", status="failed" if fails else "completed", path=f"/srv/play/{book}.yml",
        controller="control.example.org", user=PEOPLE[place].split()[0].lower(), started=moment, ended=moment + seconds * (40 + place * 9), arguments=packed({"check": False, "diff": bool(place % 2), "inventory": ["/srv/play/hosts"], "tags": ["all"], "verbosity": 0}))
    for label in {("nightly", "weekly")[number % 2], book}:
        playbook.labels.add(models.Label.objects.get_or_create(name=label)[0])
    main = file_of(playbook, f"/srv/play/{book}.yml", source(book, tasks))
    for part in range(2 + place % 3):
        doc, section = EVERY[200 + place * 5 + part]
        # One of them is edited now and then.
        edits = number // 10 if part == 0 else 0
        file_of(playbook, f"/srv/play/roles/{book}/templates/{slug(section.heading)}.j2", "\n".join(section.paragraphs[:6] + ["# edited"] * edits) + "\n")
    play = models.Play.objects.create(name=f"All of {book}", uuid=uuid.UUID(int=number + 1), status="completed", playbook=playbook, started=moment, ended=moment + seconds * 30)
    names = [MACHINES[(place * 2 + step) % 12] for step in range(3 + place % 4)]
    hosts = {name: models.Host.objects.create(name=name, playbook=playbook, facts=packed({
        "ansible_distribution": "Debian", "ansible_distribution_version": "12", "ansible_kernel": f"6.1.0-{10 + number // 8}", "ansible_python_version": "3.11.2", "ansible_hostname": name.split(".")[0],
        "ansible_all_ipv4_addresses": [f"10.0.0.{MACHINES.index(name) + 10}"], "ansible_uptime_seconds": 86400 * number, "ansible_processor_vcpus": 2 + MACHINES.index(name) % 3 * 2})) for name in names}
    for turn, (title, action, told) in enumerate(tasks):
        at = moment + seconds * (turn * 4)
        task = models.Task.objects.create(name=title, action=action, lineno=4 + turn * 6, tags=packed(["all", book]), handler=False, status="completed", play=play, file=main, playbook=playbook, started=at, ended=at + seconds * 3)
        for step, (name, host) in enumerate(hosts.items()):
            status = "failed" if fails and turn == len(tasks) - 1 and step == 0 else "skipped" if (turn + step) % 6 == 5 else "ok"
            changed = status == "ok" and random.random() < 0.15
            content = {"changed": changed, "invocation": {"module_args": {"name": slug(title), "state": "present"}}, "msg": f"{name}: " + " ".join(told)[:200 + (turn * 7 + step) * 53 % 600]}
            if changed:
                content["diff"] = {"before": told[0][:120], "after": told[0][:90] + f" run {number}"}
            models.Result.objects.create(status=status, changed=changed, content=packed(content), host=host, task=task, play=play, playbook=playbook, started=at + seconds * step / 4, ended=at + seconds * (step / 4 + 0.5))
            setattr(host, status, getattr(host, status) + 1)
            host.changed += changed
    for host in hosts.values():
        host.save()
    models.Record.objects.create(key="revision", value=packed(f"{number * 7919:08x}"), type="text", playbook=playbook)
    models.Playbook.objects.filter(pk=playbook.pk).update(created=moment, updated=moment)


def main():
    random = Random(5)
    from django.db import transaction

    with transaction.atomic():
        for number in range(30):
            run(number, random)


main()
