"""A shop of 230 printed sections of the manual: categories, classes, prices and reviews."""

from decimal import Decimal
from random import Random

import django

django.setup()

from django.contrib.auth import get_user_model
from django.contrib.sites.models import Site
from django.db import transaction
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.apps.catalogue.models import Product, ProductClass
from oscar.apps.catalogue.reviews.models import ProductReview
from oscar.apps.partner.models import Partner, StockRecord
from texts import PEOPLE, sections

random = Random(9)
PLACES = ["Guide > Beginners", "Guide > Internals", "Reference > Functions", "Reference > Syntax", "Reference > Modules",
          "Questions", "Platforms > Unix", "Platforms > Others"]


@transaction.atomic
def main():
    Site.objects.filter(pk=1).update(domain="127.0.0.1", name="Printed manuals")
    places = [create_from_breadcrumbs(place) for place in PLACES]
    for place in places:
        place.description = f"Printed sections: {place.name.lower()}"
        place.save()
    classes = [ProductClass.objects.create(name=name, requires_shipping=True) for name in ("Book", "Leaflet", "Card", "Poster")]
    partner = Partner.objects.create(name="Print house")
    people = [get_user_model().objects.create_user(f"user{n}", f"user{n}@example.org", "fixed-password", first_name=name.split()[0],
                                                   last_name=name.split()[1]) for n, name in enumerate(PEOPLE)]
    named = sections()
    for number in range(230):
        doc, section = named[number]
        product = Product.objects.create(title=f"{section.heading.capitalize()} ({doc.name})"[:200], upc=f"P{number:04}",
                                         description="<p>" + "</p><p>".join(par.replace("<", "&lt;")[:1200] for par in section.paragraphs[:4]) + "</p>",
                                         product_class=classes[number % 4], structure=Product.STANDALONE)
        product.categories.add(places[number * 5 % len(places)])
        if number % 6 == 0:
            product.categories.add(places[(number + 3) % len(places)])
        StockRecord.objects.create(product=product, partner=partner, partner_sku=f"S{number:04}", num_in_stock=random.choice([0, 3, 20]),
                                   price=Decimal(random.randint(300, 9000)) / 100)
        for turn, person in enumerate(random.sample(people, number % 4)):
            ProductReview.objects.create(product=product, user=person, score=1 + (number + turn * 2) % 5, status=ProductReview.APPROVED,
                                         title=named[number + turn + 300][1].heading[:60], body=named[number + turn + 300][1].paragraphs[0][:700])


main()
