"""A dump of MediaWiki: thirty articles of the manual with their histories, talk pages, categories and redirects.

    seed.py [main]    # main: the text of the main page instead

Its times end today, since a wiki's lists of changes go back some weeks from the moment of asking."""

import os
import sys
import time
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, sections

START = int(time.time()) // 86_400 * 86_400 - 40 * 86_400
DOCS = documents(60)[::2][:30]
ids = iter(range(1, 100_000))


def moment():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + next(ids) * 18_331))


def name(doc):
    return doc.name.capitalize()


def page(title, editions, space=0, moved=None):
    """`editions`: (text, author, comment)."""
    print(f"<page><title>{escape(title)}</title><ns>{space}</ns>" + (f'<redirect title="{escape(moved)}"/>' if moved else ""))
    for text, author, comment in editions:
        print(f"<revision><timestamp>{moment()}</timestamp><contributor><username>{author}</username></contributor>"
              f"<comment>{escape(comment)}</comment><model>wikitext</model><format>text/x-wiki</format>"
              f'<text xml:space="preserve">{escape(text)}</text></revision>')
    print("</page>")


def article(number, doc, shown):
    other = [DOCS[(number * step + 1) % 30] for step in (3, 7, 11)]
    parts = [f"'''{doc.name}''': {doc.title}."]
    for section in doc.sections[:shown]:
        parts += [f"== {section.heading} ==", *("<nowiki>" + one[:1500] + "</nowiki>" for one in section.paragraphs[:5])]
    parts.append("See " + ", ".join(f"[[{name(one)}]]" for one in other) + f" and [[Unwritten {number % 9}]].")
    parts.append(f"[[Category:Part {number % 5}]] [[Category:{doc.name[4:5].upper() or 'P'}]]")
    return "\n\n".join(parts)


def main():
    print('<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">')
    for number, doc in enumerate(DOCS):
        editions = [(article(number, doc, 2 + turn), PEOPLE[(number + turn) % 8].replace(" ", "_"),
                     f"/* {doc.sections[min(1 + turn, len(doc.sections) - 1)].heading} */") for turn in range(1 + number % 6)]
        page(name(doc), editions)
        if number % 2 == 0:
            said = [f"== {one.heading} ==\n{one.paragraphs[0][:700]} --[[User:{PEOPLE[number % 8]}]]" for _, one in sections()[number * 3:][:3]]
            page(f"Talk:{name(doc)}", [("\n\n".join(said[:turn]), PEOPLE[turn].replace(" ", "_"), "a question") for turn in (1, 2, 3)], 1)
        if number % 4 == 0:
            page(f"{doc.title[:40]}", [(f"#REDIRECT [[{name(doc)}]]", PEOPLE[0].replace(" ", "_"), "")], moved=name(doc))
    for part in range(5):
        page(f"Category:Part {part}", [(f"Part {part} of the manual.", PEOPLE[1].replace(" ", "_"), "")], 14)
    print("</mediawiki>")


if __name__ == "__main__":
    if sys.argv[1:] == ["main"]:
        print("The manual, an article a page.\n", *(f"* [[{name(doc)}]]: <nowiki>{doc.title}</nowiki>" for doc in DOCS), sep="\n")
    else:
        main()
