"""Two firms, and what its own generator makes of them with fixed chance."""

import random
import uuid
from datetime import datetime, timezone
from decimal import Decimal

random.seed(11)
chance = random.Random(5)
uuid.uuid4 = lambda: uuid.UUID(int=chance.getrandbits(128), version=4)

import django

django.setup()

from django.contrib.auth import get_user_model
from django_ledger.io.io_generator import EntityDataGenerator
from django_ledger.models.entity import EntityModel
from faker import Faker


def main():
    Faker.seed(11)
    user = get_user_model().objects.create_superuser("ada", "ada@example.org", "fixed-password")
    for name, year, many in (("Lind and Daughters", 2023, 24), ("Farkas Works", 2024, 14)):
        firm = EntityModel(name=name, slug=name.lower().replace(" ", "-"), address_1="1 Main St", address_2="", city="Nowhere", state="NC", zip_code="28202", country="US",
                           email="firm@example.org", website="http://example.org", phone="", fy_start_month=1, accrual_method=True, admin=user)
        firm = EntityModel.add_root(instance=firm)
        accounts = firm.create_chart_of_accounts(assign_as_default=True, commit=True)
        firm.populate_default_coa(activate_accounts=True, coa_model=accounts)
        EntityDataGenerator(entity_model=firm, user_model=user, start_dttm=datetime(year, 2, 1, 9, tzinfo=timezone.utc), capital_contribution=Decimal("50000.00"),
                            days_forward=540, tx_quantity=many).populate_entity()


main()
