"""Five collections of places as GeoJSON, and the settings that name them.

    seed.py FOLDER URL PORT"""

import json
import os
import sys

from texts import PEOPLE, sections, slug

FOLDER, URL, PORT = sys.argv[1:4]
COLLECTIONS = {
    "stations": ("Stations", "Where water is measured", ("name", "river", "owner", "height", "opened", "description"), 96),
    "trees": ("Old trees", "Trees that are looked after", ("name", "species", "keeper", "girth", "planted", "description"), 110),
    "works": ("Road works", "What is closed, and for how long", ("name", "street", "contractor", "days", "begins", "description"), 72),
    "monuments": ("Monuments", "Buildings that are listed", ("name", "style", "architect", "floors", "built", "description"), 88),
    "surveys": ("Surveys", "What was measured where", ("name", "method", "surveyor", "samples", "made", "description"), 54),
}
KINDS = ("Aster", "Birch", "Cedar", "Dune", "Elder", "Fen", "Grove", "Heath", "Inlet", "Juniper")
EVERY = sections()


def feature(place, number, names):
    doc, section = EVERY[place * 120 + number]
    values = (f"{section.heading[:50]} {number}", KINDS[(number * 3 + place) % 10], PEOPLE[number * 5 % 8], number * 37 % 400 + 3, f"{1950 + number * 7 % 70}-0{1 + number % 9}-1{number % 10}",
              " ".join(section.paragraphs)[:300 + number * 61 % 900])
    return {"type": "Feature", "id": number + 1, "properties": dict(zip(names, values)),
            "geometry": {"type": "Point", "coordinates": [round(4 + number * 17 % 100 / 50, 4), round(51 + number * 29 % 100 / 60 + place / 100, 4)]}}


def main():
    resources = {}
    for place, (name, (title, told, names, count)) in enumerate(COLLECTIONS.items()):
        path = os.path.join(FOLDER, f"{name}.geojson")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"type": "FeatureCollection", "features": [feature(place, number, names) for number in range(count)]}, file)
        resources[name] = {
            "type": "collection", "title": title, "description": f"{told}. {EVERY[800 + place][1].paragraphs[0][:600]}", "keywords": [slug(title), "places", KINDS[place]],
            "links": [{"type": "text/html", "rel": "about", "title": "About", "href": f"https://example.org/{name}"}],
            "extents": {"spatial": {"bbox": [3, 50, 7, 54], "crs": "http://www.opengis.net/def/crs/OGC/1.3/CRS84"}},
            "providers": [{"type": "feature", "name": "GeoJSON", "data": path, "id_field": "id", "title_field": "name"}],
        }
    resources["hello-world"] = {"type": "process", "processor": {"name": "HelloWorld"}}
    settings = {
        "server": {"bind": {"host": "127.0.0.1", "port": int(PORT)}, "url": URL, "mimetype": "application/json; charset=UTF-8", "encoding": "utf-8", "languages": ["en-US"], "gzip": False, "pretty_print": True,
                   "limits": {"default_items": 10, "max_items": 100}, "map": {"url": "https://tile.example.org/{z}/{x}/{y}.png", "attribution": "Maps"}},
        "logging": {"level": "ERROR"},
        "metadata": {"identification": {"title": "Places", "description": "Places of the county", "keywords": ["places", "water", "trees"], "keywords_type": "theme", "terms_of_service": "https://example.org/terms", "url": "https://example.org"},
                     "license": {"name": "CC-BY 4.0", "url": "https://example.org/license"}, "provider": {"name": "The county", "url": "https://example.org"},
                     "contact": {"name": "Lind, Ada", "position": "Surveyor", "address": "Main street 1", "city": "Delft", "stateorprovince": "Zuid", "postalcode": "1000", "country": "Netherlands", "phone": "+31-20-5550000",
                                 "email": "ada@example.org", "url": "https://example.org/contact", "hours": "Mon-Fri", "instructions": "By mail", "role": "pointOfContact"}},
        "resources": resources,
    }
    with open(os.path.join(FOLDER, "config.yml"), "w", encoding="utf-8") as file:
        # YAML takes JSON.
        json.dump(settings, file, indent=1)


main()
