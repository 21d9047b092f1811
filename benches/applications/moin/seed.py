"""Pages of a wiki: documents of the manual, their sections as subpages, with histories and tags.

    seed.py WIKICONFIG"""

import hashlib
import sys
import time
from io import BytesIO

from flask import g
from moin.app import before_wiki, create_app
from texts import documents, slug

# The last weeks: a wiki's list of changes goes back from the moment of asking.
START = int(time.time()) // 86_400 * 86_400 - 60 * 86_400
DOCS = documents(30)
stored = 0


def put(app, name, text, before=None, tags=()):
    """A revision of a page; its name and number are made of what it says."""
    global stored
    stored += 1
    data = text.replace("\n", "\r\n").encode()
    identity = hashlib.md5(name.encode()).hexdigest()
    revision = hashlib.md5(f"{name} {stored}".encode()).hexdigest()
    g.data_mtime = START + stored * 9_731
    meta = {
        "itemid": identity, "revid": revision, "dataid": hashlib.md5(f"data {stored}".encode()).hexdigest(), "name": [name], "namespace": "",
        "contenttype": "text/x.moin.wiki;charset=utf-8", "itemtype": "default", "action": "SAVE", "comment": "more" if before else "",
        "mtime": g.data_mtime, "size": len(data), "tags": list(tags), "wikiname": "Manual", "rev_number": 1 + (before[1] if before else 0),
        "address": "192.0.2.7",
    }
    if before:
        meta["parentid"] = before[0]
    app.storage.get_item(itemid=identity, namespace="").store_revision(meta, BytesIO(data), overwrite=True)
    return revision, meta["rev_number"]


def title(doc):
    return doc.name.capitalize()


def main():
    app = create_app(sys.argv[1])
    with app.test_request_context("/"):
        before_wiki()
        g.add_lineno_attr = False
        put(app, "Home", "= The manual =\n\n" + "".join(f" * [[{title(doc)}]]: {doc.title}\n" for doc in DOCS))
        for number, doc in enumerate(DOCS):
            before, last = None, min(1 + number % 4, len(doc.sections) - 1)
            parts = [f"{title(doc)}/{slug(section.heading)}" for section in doc.sections[:3]]
            for turn in range(last):
                text = f"= {doc.title} =\n\n" + "\n\n".join(
                    f"== {one.heading} ==\n\n" + "\n\n".join("{{{\n" + par[:1200] + "\n}}}" for par in one.paragraphs[:3]) for one in doc.sections[:2 + turn])
                text += f"\n\nSee [[{title(DOCS[(number + 3) % 30])}]], [[Unwritten{number % 6}]], " + ", ".join(f"[[{part}]]" for part in parts) + "\n"
                before = put(app, title(doc), text, before, [f"part{number % 5}"])
            for part, section in dict(zip(parts, doc.sections)).items():
                text = f"= {section.heading} =\n\n" + "\n\n".join(par[:1500].replace("{{", "").replace("[[", "") for par in section.paragraphs[:6])
                put(app, part, f"{text}\n\nUp: [[{title(doc)}]]\n", None, ["section", doc.name])


main()
