"""Requests for review: a change of two repositories each, in one to three revisions, with what others say about it.

    seed.py REPOSITORIES ADDRESS"""

import subprocess
import sys
from datetime import datetime, timedelta, timezone
from random import Random

import reviewboard.wsgi  # noqa: F401, sets up the site that REVIEWBOARD_SITEDIR names
from django.contrib.auth.models import User
from django.db import transaction
from djblets.siteconfig.models import SiteConfiguration
from reviewboard.diffviewer.models import DiffSet, FileDiff
from reviewboard.reviews.models import Comment, GeneralComment, Group, Review, ReviewRequest
from reviewboard.scmtools.models import Repository, Tool
from texts import PEOPLE, sections

TODAY = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
EVERY = sections()
random = Random(9)


def git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True).stdout


def changes(folder):
    """Commits with one parent, the first ones first, each with those that follow it."""
    rows = [row.split() for row in git(folder, "rev-list", "--reverse", "--topo-order", "--parents", "--all").decode().splitlines()]
    after = {parent: commit for commit, *parents in rows if len(parents) == 1 for parent in parents}
    for commit, *parents in rows:
        if len(parents) == 1:
            ends = [commit]
            while len(ends) < 3 and ends[-1] in after:
                ends.append(after[ends[-1]])
            ends = [end for end in ends if git(folder, "diff", parents[0], end)]
            if ends:
                yield parents[0], ends


def diffs(request, folder, parent, ends, begun):
    for turn, end in enumerate(ends):
        made = DiffSet.objects.create_from_data(
            repository=request.repository, diff_file_name="change.diff", diff_file_contents=git(folder, "diff", "--full-index", parent, end),
            diffset_history=request.diffset_history, basedir="", base_commit_id=parent)
        DiffSet.objects.filter(pk=made.pk).update(timestamp=begun + timedelta(hours=7 * turn))


def said(number):
    return EVERY[number % len(EVERY)][1].paragraphs[0][:700]


def reviews(request, number, people, begun):
    files = list(FileDiff.objects.filter(diffset__history=request.diffset_history)) if request.repository else []
    for turn in range(number % 5):
        when = begun + timedelta(hours=9 + 5 * turn)
        by = people[(number + 1 + turn) % len(people)]
        review = Review.objects.create(review_request=request, user=by, public=True, body_top=said(number * 3 + turn), ship_it=turn % 3 == 2,
                                       body_bottom="", timestamp=when)
        for place, file in enumerate(files[:(number + turn) % 4]):
            comment = Comment.objects.create(filediff=file, first_line=1 + place, num_lines=1 + place % 3, text=said(number * 7 + turn + place),
                                             timestamp=when, issue_opened=place == 0, issue_status="O" if place == 0 else None)
            review.comments.add(comment)
        if turn == 1:
            review.general_comments.add(GeneralComment.objects.create(text=said(number * 11), timestamp=when))
        if turn % 2 == 0:
            answer = Review.objects.create(review_request=request, user=request.submitter, public=True, base_reply_to=review, ship_it=False,
                                           body_top=said(number * 13 + turn), body_top_reply_to=review, timestamp=when + timedelta(hours=2))
            Review.objects.filter(pk=answer.pk).update(timestamp=when + timedelta(hours=2))
        Review.objects.filter(pk=review.pk).update(timestamp=when)


def main(folder, address):
    config = SiteConfiguration.objects.get_current()
    config.set("auth_require_sitewide_login", False)
    config.set("search_enable", False)
    config.save()
    site = config.site
    site.domain, site.name = address.split("//")[1], "The manual"
    site.save()
    people = [User.objects.create_user(name.split()[0].lower(), f"{name.split()[0].lower()}@example.org", "fixed-password",
                                       first_name=name.split()[0], last_name=name.split()[1]) for name in PEOPLE]
    groups = [Group.objects.create(name=name, display_name=name.capitalize(), mailing_list=f"{name}@example.org") for name in ("writers", "readers", "keepers")]
    for number, group in enumerate(groups):
        group.users.add(*people[number * 2:number * 2 + 4])
    tool = Tool.objects.get_or_create(name="Git", class_name="reviewboard.scmtools.git.GitTool")[0]
    wanted = []
    for name in ("manual", "faq"):
        repository = Repository.objects.create(name=name, path=f"{folder}/{name}.git", scmtool_id="git", tool=tool)
        wanted += [(repository, *change) for change in changes(f"{folder}/{name}.git")]
    wanted += [(None, None, [])] * 30
    random.shuffle(wanted)
    for number, (repository, parent, ends) in enumerate(wanted):
        with transaction.atomic():
            begun = TODAY - timedelta(hours=11 * (len(wanted) - number))
            request = ReviewRequest.objects.create(user=people[number * 5 % 8], repository=repository)
            doc, section = EVERY[number + 300]
            request.summary = f"{doc.name}: {section.heading}"[:120]
            request.description = "\n\n".join(section.paragraphs[:3])[:1500]
            request.testing_done = section.paragraphs[-1][:300] if number % 3 else ""
            request.branch, request.bugs_closed = ("main", "stable")[number % 2], str(100 + number) if number % 4 == 0 else ""
            request.public, request.status = True, "PSPD"[number % 4] if number % 2 else "P"
            request.time_added = begun
            request.save()
            request.target_people.add(people[(number + 3) % 8])
            request.target_groups.add(groups[number % 3])
            if repository:
                diffs(request, repository.path, parent, ends[:1 + number % 3], begun)
            reviews(request, number, people, begun)
            ReviewRequest.objects.filter(pk=request.pk).update(time_added=begun, last_updated=begun + timedelta(hours=20), last_review_activity_timestamp=begun + timedelta(hours=20))


main(*sys.argv[1:])
