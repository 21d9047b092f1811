"""A site of the manual: three parts of it as trees of pages, with news, meetings, links, files, collections, subjects, and what was said to them."""

from datetime import datetime, timedelta, timezone
from html import escape

import pytz
import transaction
from AccessControl.SecurityManagement import newSecurityManager
from DateTime import DateTime
from plone import api
from plone.app.discussion.interfaces import IConversation
from plone.app.portlets.portlets import calendar, events, news, recent, search
from plone.app.textfield.value import RichTextValue
from plone.namedfile.file import NamedBlobFile
from plone.portlets.interfaces import IPortletAssignmentMapping, IPortletManager
from plone.registry.interfaces import IRegistry
from Products.CMFPlone.factory import addPloneSite
from Testing.makerequest import makerequest
from zope.component import createObject, getMultiAdapter, getUtility
from zope.component.hooks import setSite
from zope.globalrequest import setRequest
from texts import PEOPLE, documents, sections, slug

START = datetime(2023, 2, 1, 9, tzinfo=timezone.utc)
EVERY = sections()
TAGS = ("Syntax", "Regex", "Unicode", "Build", "Modules", "Objects", "Threads", "Debugging", "Input", "Output", "Numbers", "Strings", "Hashes", "Arrays",
        "Files", "History", "Platforms", "Testing")
NAMES = [name.split()[0].lower() for name in PEOPLE[:6]]
app = makerequest(globals()["app"])
setRequest(app.REQUEST)
newSecurityManager(None, app.acl_users.getUser("keeper").__of__(app.acl_users))
site = addPloneSite(app, "manual", title="The manual", extension_ids=("plone.app.contenttypes:default", "plonetheme.barceloneta:default", "plone.app.discussion:default"))
setSite(site)
made = 0


def rich(paragraphs):
    return RichTextValue("".join(f"<p>{escape(one[:1500])}</p>" for one in paragraphs), "text/html", "text/x-html-safe")


def add(where, kind, title, **fields):
    """Published, by one of six, with an own time; each third was changed later."""
    global made
    made += 1
    number, begun = made, START + timedelta(hours=17 * made)
    if isinstance(fields.get("text"), list):
        fields["text"] = rich(fields["text"])
    subject = () if kind == "Folder" else [TAGS[(number * 5 + step * 7) % len(TAGS)] for step in range(number % 4)]
    thing = api.content.create(where, kind, slug(title), title=title[:120], safe_id=True, subject=tuple(subject), **fields)
    thing.creators = (NAMES[number * 5 % 6],)
    if api.content.get_state(thing, "") == "private":
        api.content.transition(thing, "publish")
    moment = DateTime(begun.isoformat())
    thing.creation_date, thing.effective_date = moment, moment
    thing.setModificationDate(moment + (9 if number % 3 == 0 else 0))
    thing.reindexObject(idxs=["modified", "created", "effective", "Creator", "listCreators", "Date"])
    return thing


def view(thing, layout):
    thing.setLayout(layout)


def talk(thing, number):
    thing.allow_discussion = True
    conversation = IConversation(thing)
    for turn in range(number * number % 7):
        said = createObject("plone.Comment")
        who = PEOPLE[(number + turn * 3) % 8]
        said.text = EVERY[(number * 31 + turn * 7 + 400) % len(EVERY)][1].paragraphs[0][:700]
        said.author_name, said.author_username, said.creator = who, None, None
        said.creation_date = said.modification_date = (START + timedelta(hours=17 * number + 5 * turn)).replace(tzinfo=timezone.utc)
        conversation.addComment(said)


def collection(where, title, query, layout, **fields):
    one = add(where, "Collection", title, query=query, sort_on="effective", sort_reversed=True, item_count=15, **fields)
    view(one, layout)
    return one


def of(kind):
    return {"i": "portal_type", "o": "plone.app.querystring.operation.selection.any", "v": [kind]}


def tagged(tag):
    return {"i": "Subject", "o": "plone.app.querystring.operation.selection.any", "v": [tag]}


def portlet(where, column, name, assignment):
    """Beside those that it comes with."""
    there = getMultiAdapter((where, getUtility(IPortletManager, name=column)), IPortletAssignmentMapping)
    if name not in there:
        there[name] = assignment


def tree():
    """Three parts; a folder a document, a page a section."""
    for part, (name, docs) in enumerate((("Guide", documents(45)[::4]), ("Reference", documents(45)[1::4]), ("Questions", documents(45)[2::4]))):
        top = add(site, "Folder", name, description=f"The {name.lower()}")
        view(top, ("listing_view", "summary_view", "tabular_view")[part])
        for number, doc in enumerate(docs):
            folder = add(top, "Folder", doc.name, description=doc.title)
            for section in doc.sections[:5 + number * 3 % 16]:
                page = add(folder, "Document", section.heading, description=section.paragraphs[0][:150], text=section.paragraphs[:12])
                if made % 4 == 0:
                    talk(page, made)
            if number % 3 == 0:
                add(folder, "Document", f"About {doc.name}", text=[doc.title] + doc.sections[0].paragraphs[:4])
                folder.setDefaultPage(slug(f"About {doc.name}"))
            else:
                view(folder, ("listing_view", "summary_view", "tabular_view", "full_view")[number % 4])
        transaction.savepoint(True)


def main():
    registry = getUtility(IRegistry)
    for name, value in (("plone.portal_timezone", "UTC"), ("plone.navigation_depth", 1), ("plone.displayed_types", ("Folder", "Document", "Collection")), ("plone.display_publication_date_in_byline", True), ("plone.allow_anon_views_about", True),
                        ("plone.app.discussion.interfaces.IDiscussionSettings.globally_enabled", True),
                        ("plone.app.discussion.interfaces.IDiscussionSettings.anonymous_comments", True)):
        registry[name] = value
    for kind in ("Document", "News Item"):
        site.portal_types[kind].allow_discussion = True
    for name, login in zip(PEOPLE[:6], NAMES):
        api.user.create(username=login, email=f"{login}@example.org", password="fixed-password-8", properties={"fullname": name})
    for stale in [one for one in ("news", "events", "Members", "front-page") if one in site.objectIds()]:
        api.content.delete(site[stale])
    front = add(site, "Document", "Welcome", text=EVERY[0][1].paragraphs[:5])
    site.setDefaultPage(front.getId())
    tree()
    folder = add(site, "Folder", "News")
    for number in range(150):
        doc, section = EVERY[number]
        talk(add(folder, "News Item", f"{doc.name}: {section.heading}", description=section.paragraphs[0][:200], text=section.paragraphs[:8]), number)
    collection(folder, "All news", [of("News Item")], "summary_view")
    folder.setDefaultPage("all-news")
    folder = add(site, "Folder", "Events")
    for number in range(120):
        doc, section = EVERY[200 + number]
        begun = START.astimezone(pytz.utc) + timedelta(hours=93 * number)
        add(folder, "Event", f"Meeting on {section.heading}", description=f"About {doc.name}", text=section.paragraphs[:4], start=begun, location=f"Room {number % 7}",
            end=begun + timedelta(hours=2 + number % 3 * 24), contact_name=PEOPLE[number % 8])
    collection(folder, "All events", [of("Event")], "event_listing")
    folder.setDefaultPage("all-events")
    portlet(folder, "plone.rightcolumn", "calendar", calendar.Assignment())
    folder = add(site, "Folder", "Downloads", description="As plain text")
    for doc in documents(30):
        add(folder, "File", f"{doc.name}.txt", file=NamedBlobFile(doc.text().encode(), "text/plain", f"{doc.name}.txt"))
    folder = add(site, "Folder", "Links")
    for number in range(30):
        add(folder, "Link", f"{EVERY[number][0].name} elsewhere {number}", remoteUrl=f"https://manual.example.org/{number}")
    folder = add(site, "Folder", "Subjects")
    for number, tag in enumerate(TAGS):
        collection(folder, f"About {tag}", [tagged(tag)], ("listing_view", "summary_view", "tabular_view")[number % 3])
    for name, assignment in (("search", search.Assignment()), ("recent", recent.Assignment(count=5)), ("news", news.Assignment(count=5)), ("events", events.Assignment(count=5))):
        portlet(site, "plone.rightcolumn", name, assignment)
    transaction.commit()


main()
