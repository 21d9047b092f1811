"""Photos of nothing, with titles and captions of the manual, in galleries; some are in two."""

from datetime import datetime, timedelta, timezone
from io import BytesIO

import django

django.setup()

from django.contrib.sites.models import Site
from django.core.files.base import ContentFile
from django.db import transaction
from photologue.models import Gallery, Photo
from PIL import Image
from texts import documents, sections, slug

START = datetime(2022, 1, 3, 10, tzinfo=timezone.utc)


@transaction.atomic
def main():
    here = Site.objects.get(pk=1)
    named = sections()
    photos = []
    for number in range(300):
        doc, section = named[number]
        picture = BytesIO()
        Image.new("RGB", (8, 8), (number % 256, number * 7 % 256, 90)).save(picture, "PNG")
        photo = Photo(title=f"{number + 1}. {section.heading}"[:240], slug=f"{slug(section.heading)}-{number + 1}",
                      caption=section.paragraphs[0][:900], date_added=START + timedelta(hours=31 * number), is_public=True)
        photo.image.save(f"{number:03}.png", ContentFile(picture.getvalue()), save=False)
        photo.save()
        photo.sites.set([here])
        photos.append(photo)
    for number, doc in enumerate(documents(60)[2:38:2]):
        gallery = Gallery.objects.create(title=doc.title, slug=doc.name, description=doc.sections[0].paragraphs[0][:800],
                                         date_added=START + timedelta(days=20 * number), is_public=True)
        gallery.sites.set([here])
        gallery.photos.set(photos[number * 16:number * 16 + 20])


main()
