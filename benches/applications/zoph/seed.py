"""SQL for a collection of 240 photos, described by sections of the manual, which a guest may look at without a name."""

import os
import sys
from datetime import datetime, timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from texts import PEOPLE, documents, sections

PHOTOS = 240
FIRST = datetime(2023, 3, 1, 8)
EVERY = sections()


def quoted(value):
    if isinstance(value, (int, float)):
        return str(value)
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def insert(table, **row):
    print(f"INSERT INTO zoph_{table} ({', '.join(row)}) VALUES ({', '.join(map(quoted, row.values()))});")


def main():
    for name, value in (("zoph.version", "1.0.1"), ("interface.user.default", "2"), ("interface.title", "Photos of the manual"),
                        ("feature.comments", "1"), ("feature.rating", "1"), ("feature.download", "0"), ("feature.sets", "1")):
        insert("conf", conf_id=name, value=value)
    insert("users", user_id=2, person_id=1, user_class="1", view_all_photos="1", user_name="guest", password="", browse_people="1", browse_places="1",
           detailed_people="1", detailed_places="1", allow_rating="0")
    print("INSERT INTO zoph_prefs (user_id, show_breadcrumbs, autothumb) VALUES (2, '0', 'first');")
    insert("groups", group_id=1, group_name="guests", description="")
    insert("groups_users", group_id=1, user_id=2)
    for album in range(1, 17):
        insert("group_permissions", group_id=1, album_id=album, access_level=9, watermark_level=0, writable="0", subalbums="1")
    for number, name in enumerate(PEOPLE):
        insert("people", person_id=number + 2, first_name=name.split()[0], last_name=name.split()[1], called="", notes=EVERY[number][1].paragraphs[0][:200])
    for number, place in enumerate(("North", "South", "Coast", "Hills", "Harbour", "Market", "Old mill", "Station", "Bridge", "Lake")):
        insert("places", place_id=number + 2, parent_place_id=1 if number < 4 else number % 4 + 2, title=place, city=place, country="Nowhere",
               notes=EVERY[number + 20][1].paragraphs[0][:200])
    for number, doc in enumerate(documents(60)[::4]):
        insert("albums", album_id=number + 2, parent_album_id=1 if number < 5 else number % 5 + 2, album=doc.title[:60], sortname=doc.name[:30],
               album_description=doc.sections[0].paragraphs[0][:220])
        insert("categories", category_id=number + 2, parent_category_id=1 if number < 4 else number % 4 + 2, category=doc.sections[0].heading[:40] + f" {number}",
               sortname=doc.name[:30], category_description=doc.sections[1].paragraphs[0][:220])
    for number in range(1, PHOTOS + 1):
        doc, section = EVERY[number + 100]
        taken = FIRST + timedelta(hours=61 * number)
        insert("photos", photo_id=number, name=f"{number:04}.jpg", path=f"{taken:%Y.%m.%d}", width=1600, height=1200, size=200_000 + number * 811,
               title=section.heading[:60], photographer_id=number % 3 + 2, location_id=number % 10 + 2, view="", description=" ".join(section.paragraphs)[:900],
               date=f"{taken:%Y-%m-%d}", time=f"{taken:%H:%M:%S}", camera_make=("Alba", "Bora")[number % 2], camera_model=f"Model {number % 5}",
               flash_used="YN"[number % 2], focal_length=f"{20 + number % 60}mm", exposure=f"1/{60 + number % 200} s", aperture=f"f/{2 + number % 9}",
               iso_equiv=str(100 * (1 + number % 8)), level=1)
        for step in range(1 + number % 2):
            insert("photo_albums", photo_id=number, album_id=(number + step * 5) % 15 + 2)
        for step in range(1 + number % 3):
            insert("photo_categories", photo_id=number, category_id=(number * 2 + step * 4) % 15 + 2)
        for step in range(number % 3):
            insert("photo_people", photo_id=number, person_id=(number + step * 3) % 8 + 2, position=step + 1, row=0)
        insert("photo_ratings", user_id=1, photo_id=number, rating=number % 10 + 1)
        if number % 4 == 0:
            insert("comments", comment_id=number, user_id=1, comment_date=f"{taken + timedelta(days=3):%Y-%m-%d %H:%M:%S}", subject=doc.name,
                   comment=EVERY[number + 500][1].paragraphs[0][:400], ipaddr="127.0.0.1")
            insert("photo_comments", photo_id=number, comment_id=number)


main()
