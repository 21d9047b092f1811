"""Projects named after sections of the manual, with versions and packages; of some nothing was found, some failed and some are not looked at any more."""

from datetime import datetime, timedelta

from anitya.app import create
from anitya.db import db, models
from texts import PEOPLE, sections, slug

START = datetime(2024, 2, 1, 9)
BACKENDS = (("GitHub", "https://github.com/"), ("PyPI", "pypi"), ("GNU project", "https://www.gnu.org/"), ("CPAN (perl)", "https://metacpan.org/"), ("custom", "https://"))
DISTROS = ("Alpine", "Arch", "CRUX", "Debian", "Fedora", "Gentoo", "openSUSE", "Void")


def main():
    session, every = db.session, sections()
    for name in DISTROS:
        session.add(models.Distro(name))
    names = set()
    for number in range(700):
        doc, section = every[number]
        name = f"{doc.name}-{slug(section.heading)}"
        name = name if name not in names else f"{name}-{number}"
        names.add(name)
        backend = BACKENDS[number * 3 % 5][0]
        homepage = f"https://{slug(PEOPLE[number % 8].split()[1])}.example.org/{name}"
        moment = START + timedelta(hours=7 * number)
        one = models.Project(name=name, homepage=homepage, backend=backend, ecosystem_name="pypi" if backend == "PyPI" else homepage, version_scheme=("RPM", "Semantic")[number % 2],
                             version_url=f"{slug(PEOPLE[number % 8])}/{name}" if backend != "PyPI" else None, regex=None, archived=number % 29 == 3)
        one.created_on, one.updated_on, one.last_check, one.next_check = moment, moment + timedelta(days=30), moment + timedelta(days=60), moment + timedelta(days=61)
        found = 0 if number % 17 == 5 else 1 + number * 7 % 9
        one.check_successful = None if not found else number % 11 != 4
        one.error_counter = 0 if one.check_successful else 1 + number % 9
        one.logs = "Version retrieved correctly" if one.check_successful else section.paragraphs[0][:200] if found else None
        session.add(one)
        session.flush()
        versions = [f"{1 + number % 4}.{turn}.{number * turn % 7}" for turn in range(found)]
        for turn, version in enumerate(versions):
            session.add(models.ProjectVersion(project_id=one.id, version=version, created_on=moment + timedelta(days=turn * 5)))
        one.latest_version = versions[-1] if versions else None
        for step in range(number % 4):
            session.add(models.Packages(distro_name=DISTROS[(number + step * 3) % 8], project_id=one.id, package_name=name if step else f"lib{name}"[:60]))
    session.add(models.Run(total_count=700, error_count=60, ratelimit_count=0, success_count=640, created_on=START + timedelta(days=300)))
    session.commit()


with create().app_context():
    db.manager.create()
    main()
