"""People of a forge, what they follow, and what they said of changes.

    seed.py CONFIGURATION PORT"""

import sys
from datetime import datetime, timedelta
from random import Random

import paste.deploy
from kallithea.model import db, meta
from kallithea.model.scm import ScmModel
from kallithea.model.user import UserModel

from texts import PEOPLE, sections


def main():
    paste.deploy.loadapp("config:" + sys.argv[1])
    chance, session = Random(5), meta.Session()
    people = []
    for person in PEOPLE:
        first, last = person.split()
        people.append(UserModel().create_or_update(first.lower(), "forge-of-the-manual", f"{first.lower()}@example.org", first, last, cur_user="ada"))
    session.commit()
    texts = iter(sections())
    began = datetime(2026, 3, 1)
    for repository in db.Repository.query().order_by(db.Repository.repo_name):
        # The list of repositories is made by script, so each tells of the other.
        other = {"manual": "faq", "faq": "manual"}[repository.repo_name.removesuffix(".git")]
        repository.description = f"The {repository.repo_name} as it came to be; see also http://127.0.0.1:{sys.argv[2]}/{other}.git"
        repository.enable_statistics = False
        for number, person in enumerate(people):
            if number % 3:
                ScmModel().toggle_following_repo(repository.repo_id, person.user_id)
        changes = list(repository.scm_instance.get_changesets())
        for number, change in enumerate(changes):
            for turn in range(number % 4 - 1):
                said = db.ChangesetComment()
                said.repo, said.author, said.revision = repository, people[chance.randrange(8)], change.raw_id
                said.text = " ".join(next(texts)[1].paragraphs[0].split()[:60])
                said.created_on = said.modified_at = began + timedelta(hours=19 * number + turn)
                session.add(said)
                if turn == 0 and number % 3 == 0:
                    session.flush()
                    session.add(db.ChangesetStatus(
                        repo=repository, author=said.author, revision=change.raw_id, status=["approved", "rejected"][number % 2], comment=said,
                        version=0, modified_at=said.created_on))
        session.commit()
        repository.update_changeset_cache()
    session.commit()


main()
