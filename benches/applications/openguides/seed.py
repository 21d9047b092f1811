"""Pages of a guide to a city, a line of JSON for each version: name, text, what is known of the place, author, day."""

import json
from random import Random

from texts import PEOPLE, sections, slug

KINDS = ["Pubs", "Cafes", "Coffee Shops", "Restaurants", "Supermarkets", "Cinemas", "Theatres", "Museums", "Parks", "Hotels"]
DISTRICTS = ["North", "South", "East", "West", "Central", "Harbour", "Riverside", "Old Town"]
STREETS = ["Socket Street", "Scalar Road", "Hash Lane", "Closure Square", "Pattern Avenue", "Module Way"]


def put(name, text, author, day, **known):
    print(json.dumps({"name": name, "text": text, "author": author, "day": day, "known": known}))


def main():
    chance = Random(3)
    places, names = [], set()
    for document, section in sections():
        name = " ".join(word.capitalize() for word in slug(section.heading).split("-")[:3])
        if len(places) < 160 and name not in names and len(name) > 6 and len(section.paragraphs) > 2:
            names.add(name)
            places.append((name, section))
    for number, kind in enumerate(KINDS):
        put(f"Category {kind}", f"What there is of {kind.lower()} in the city. See also [[Category {KINDS[number - 1]}]].\n\n"
            f"@INDEX_LIST [[Category {kind}]]", PEOPLE[number % 8], number, categories=["Category"])
    for number, district in enumerate(DISTRICTS):
        put(f"Locale {district}", f"What there is in {district}, next to [[Locale {DISTRICTS[number - 1]}]].\n\n@INDEX_LIST [[Locale {district}]]",
            PEOPLE[number], 10 + number, categories=["Locale"])
    for number, person in enumerate(PEOPLE):
        put(person, f"{person} lives in [[Locale {DISTRICTS[number]}]] and likes [[Category {KINDS[number]}]].", person, 20 + number)
    put("Home", "Welcome. Begin with " + ", ".join(f"[[Category {kind}]]" for kind in KINDS) + ", or with [[Wiki Etiquette]].", PEOPLE[0], 30)
    for turn in range(4):
        for number, (name, section) in enumerate(places):
            if turn > number % 4 or turn >= len(section.paragraphs):
                continue
            near = [places[chance.randrange(160)][0] for _ in range(2)]
            text = "\n\n".join(par.replace("[", "(").replace("]", ")")[:900] for par in section.paragraphs[:2 + turn])
            text += f"\n\nNear it: [[{near[0]}]], [[{near[1]}]]; not written yet: [[{STREETS[number % 6]}]]."
            put(name, text, PEOPLE[(number + turn) % 8], 31 + 40 * turn + number // 4,
                categories=[KINDS[number % 10]] + ([KINDS[number % 7]] if number % 3 == 0 else []), locales=[DISTRICTS[number % 8]],
                address=f"{1 + number % 90} {STREETS[number % 6]}", summary=section.paragraphs[0][:90],
                phone=f"01632 960{number:03}", opening_hours_text=f"{7 + number % 4}am to {5 + number % 6}pm",
                website=f"http://place{number}.example.org/", os_x=530000 + 37 * number, os_y=180000 + 53 * number,
                latitude=round(51.5 + number / 2000, 5), longitude=round(-0.12 + number / 1500, 5))


main()
