"""A site about the manual: articles in six parts, which classifiers sort, events, places, and links to what is searched for often."""

import os
from datetime import date, datetime, timedelta, timezone
from urllib.parse import quote

import django

django.setup()

from coderedcms.models import LayoutSettings, Navbar
from coderedcms.models.snippet_models import Classifier, ClassifierTerm
from coderedcms.models.wagtailsettings_models import NavbarOrderable
from django.contrib.auth.models import User
from texts import PEOPLE, documents, sections, slug
from wagtail.models import Site
from website.models import ArticleIndexPage, ArticlePage, EventIndexPage, EventOccurrence, EventPage, LocationIndexPage, LocationPage, WebPage

EVERY, DOCS = sections(), documents(60)
PARTS = ("Guide", "Reference", "Questions", "Platforms", "History", "Internals")
SOUGHT = ("file", "pattern", "hash", "thread", "unicode", "module", "regular expression", "signal", "socket", "locale",
          "variable", "function", "array", "debugger", "subroutine", "warning", "reference", "package", "no such word")


def classifier(name, *terms):
    made = Classifier.objects.create(name=name, slug=slug(name))
    return made, [ClassifierTerm.objects.create(classifier=made, name=term, slug=slug(term), sort_order=number) for number, term in enumerate(terms)]


def body(paragraphs, number=None):
    html = "".join(f"<p>{one[:900].replace('&', '&amp;').replace('<', '&lt;')}</p>" for one in paragraphs)
    if number is not None:
        word = SOUGHT[number % len(SOUGHT)]
        html += f'<p>More about <a href="/search/?s={quote(word)}">{word}</a>.</p>'
    column = {"settings": {}, "column_size": "", "content": [{"type": "text", "value": html}]}
    return [{"type": "row", "value": {"settings": {}, "fluid": False, "content": [{"type": "content", "value": column}]}}]


def under(parent, page):
    page.index_order_by = "title"
    parent.add_child(instance=page)
    page.save_revision().publish()
    return page


def main():
    site = Site.objects.get(is_default_site=True)
    home = site.root_page.specific
    site.hostname, site.port = "127.0.0.1", int(os.environ["PORT"])
    site.save()
    home.body = body(EVERY[0][1].paragraphs[:2], 0)
    home.save_revision().publish()
    people = [User.objects.create_user(name.split()[0].lower(), first_name=name.split()[0], last_name=name.split()[1]) for name in PEOPLE]
    sorts = [classifier("Level", "Beginners", "Advanced", "Experts"), classifier("Topic", "Syntax", "Files", "Network", "Text", "Numbers"), classifier("Kind", "Essay", "Note", "Recipe")]
    tops = []
    for number, name in enumerate(PARTS):
        tops.append(under(home, ArticleIndexPage(title=name, slug=slug(name), body=body(EVERY[10 + number][1].paragraphs[:1]), index_num_per_page=8, index_show_subpages=True)))
        tops[-1].index_classifiers.set([one for one, _ in sorts[:1 + number % 3]])
        tops[-1].save_revision().publish()
    for number in range(400):
        doc, section = EVERY[number + 50]
        page = under(tops[number * 7 % 6], ArticlePage(
            title=f"{doc.name}: {section.heading}"[:90], slug=f"{slug(section.heading)}-{number}", body=body(section.paragraphs[:6], number), author=people[number % 8],
            date_display=date(2023, 1, 3) + timedelta(days=3 * number), caption=section.paragraphs[0][:120], related_show=number % 2 == 0))
        page.classifier_terms.set([terms[(number * step + number // 6) % len(terms)] for step, (_, terms) in zip((1, 3, 5), sorts) if (number // 6 + step) % 4])
        page.tags.add(DOCS[number % 12].name)
        page.save_revision().publish()
    events = under(home, EventIndexPage(title="Events", slug="events", index_num_per_page=10, index_show_subpages=True))
    for number in range(100):
        doc, section = EVERY[number + 500]
        page = under(events, EventPage(title=f"{doc.name} meets: {section.heading}"[:90], slug=f"event-{number}", body=body(section.paragraphs[:2], number), address=f"{number} Long Lane"))
        begun = datetime(2033, 2, 1, 18, tzinfo=timezone.utc) + timedelta(days=5 * number)
        page.occurrences.set([EventOccurrence(start=begun + timedelta(weeks=turn), end=begun + timedelta(weeks=turn, hours=2)) for turn in range(1 + number % 3)])
        page.save_revision().publish()
    places = under(home, LocationIndexPage(title="Places", slug="places", index_num_per_page=6, index_show_subpages=True))
    for number in range(20):
        under(places, LocationPage(title=f"Reading room {number}", slug=f"room-{number}", body=body(EVERY[number + 650][1].paragraphs[:2]),
                                   address=f"{number} Short Street", phone_number=f"555-{number:04}", auto_update_latlng=False))
    sought = under(home, WebPage(title="Searches", slug="searches", body=body([f"Often searched for by readers of part {number}" for number in range(3)])))
    links = "".join(f'<li><a href="/search/?s={quote(word)}">{word}</a></li>' for word in SOUGHT)
    sought.body[0].value["content"][0].value["content"].append(("text", f"<ul>{links}</ul>"))
    sought.save_revision().publish()
    bar = Navbar.objects.create(name="Main", menu_items=[
        {"type": "page_link", "value": {"settings": {}, "display_text": page.title, "page": page.pk, "sub_links": []}} for page in [*tops, events, places, sought]])
    layout = LayoutSettings.for_site(site)
    layout.navbar_search = True
    layout.save()
    NavbarOrderable.objects.create(navbar_chooser=layout, navbar=bar)


main()
