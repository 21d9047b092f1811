"""Sites, racks, devices, addresses, VLANs and tenants, described by what the manual says, and who may look at them."""

from uuid import NAMESPACE_DNS, uuid5

from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from nautobot.dcim.models import Device, DeviceType, Interface, Location, LocationType, Manufacturer, Platform, Rack
from nautobot.extras.models import Role, Status, Tag
from nautobot.ipam.models import VLAN, IPAddress, Namespace, Prefix
from nautobot.tenancy.models import Tenant, TenantGroup
from nautobot.users.models import ObjectPermission
from texts import PEOPLE, sections

EVERY = sections()


def made(model, number, /, **fields):
    """With the same name in URLs each time."""
    one = model(id=uuid5(NAMESPACE_DNS, f"{model.__name__}-{number}.example.org"), **fields)
    one.validated_save()
    return one


def said(number, length=180):
    return EVERY[number % len(EVERY)][1].paragraphs[0][:length]


def for_all(model, *kinds):
    for kind in kinds:
        model.content_types.add(ContentType.objects.get_for_model(kind))


def main():
    User = get_user_model()
    reader = User.objects.create(username="reader", is_active=True)
    rights = ObjectPermission.objects.create(name="reads all", actions=["view"])
    rights.users.add(reader)
    rights.object_types.set(ContentType.objects.filter(app_label__in=("dcim", "ipam", "tenancy", "extras", "circuits", "virtualization")))
    active, planned = Status.objects.get(name="Active"), Status.objects.get(name="Planned")
    kind = made(LocationType, "region", name="Region", nestable=True)
    site = made(LocationType, "site", name="Site", parent=kind)
    for_all(site, Device, Rack, VLAN, Prefix)
    regions = [made(Location, f"region{number}", name=name, location_type=kind, status=active, description=said(number)) for number, name in enumerate(("North", "South", "Coast"))]
    groups = [made(TenantGroup, number, name=name) for number, name in enumerate(("Inner", "Outer"))]
    tenants = [made(Tenant, number, name=f"{name.split()[1]} Ltd", tenant_group=groups[number % 2], description=said(20 + number)) for number, name in enumerate(PEOPLE)]
    tags = [made(Tag, number, name=name) for number, name in enumerate(("core", "edge", "old", "watched"))]
    for tag in tags:
        for_all(tag, Device, Prefix, IPAddress, Rack)
    sites = [made(Location, f"site{number}", name=name, location_type=site, parent=regions[number % 3], status=(active, planned)[number % 5 == 4], tenant=tenants[number % 8],
                  description=said(40 + number), comments=said(60 + number, 600))
             for number, name in enumerate(("Harbour", "Market", "Station", "Bridge", "Lake", "Old mill", "Hills", "Forest", "Castle", "School", "Tower", "Garden"))]
    makers = [made(Manufacturer, number, name=name, description=said(80 + number)) for number, name in enumerate(("Alba", "Bora", "Cora"))]
    platforms = [made(Platform, number, name=f"{maker.name} OS", manufacturer=maker) for number, maker in enumerate(makers)]
    models = [made(DeviceType, number, manufacturer=makers[number % 3], model=f"{makers[number % 3].name} {100 + number * 20}", u_height=1 + number % 2, comments=said(90 + number, 400))
              for number in range(9)]
    roles = [made(Role, number, name=name) for number, name in enumerate(("Access", "Core router", "Firewall", "Storage"))]
    for role in roles:
        for_all(role, Device, Prefix, VLAN)
    racks = [made(Rack, number, name=f"R{number:02}", location=sites[number % 12], status=active, tenant=tenants[number % 8], u_height=24) for number in range(24)]
    devices = []
    for number in range(96):
        rack = racks[number % 24]
        device = made(Device, number, name=f"{rack.location.name.lower().replace(' ', '-')}-{number:02}", device_type=models[number * 5 % 9], role=roles[number * 3 % 4], location=rack.location,
                      rack=rack, position=1 + number // 24 * 3, face="front", status=(active, planned)[number % 7 == 0], tenant=tenants[number * 3 % 8], platform=platforms[number * 5 % 9 % 3],
                      serial=f"S{number * 7919:08}", comments=said(200 + number, 700))
        device.tags.set([tags[number % 4]] if number % 3 else [])
        devices.append(device)
    space = Namespace.objects.get(name="Global")
    for number, where in enumerate(sites):
        made(Prefix, number, prefix=f"10.{number}.0.0/16", namespace=space, status=active, type="container", description=said(300 + number))
        vlans = [made(VLAN, f"{number}-{step}", vid=100 + number * 10 + step, name=f"{where.name} {step}", status=active, tenant=tenants[(number + step) % 8], role=roles[step],
                      description=said(320 + number * 3 + step)) for step in range(3)]
        for step, vlan in enumerate(vlans):
            vlan.locations.add(where)
            made(Prefix, f"{number}-{step}", prefix=f"10.{number}.{step}.0/24", namespace=space, status=active, vlan=vlan, tenant=tenants[(number + step) % 8], role=roles[step],
                 description=said(400 + number * 3 + step))
    for number, device in enumerate(devices):
        for step in range(2):
            port = made(Interface, f"{number}-{step}", device=device, name=f"eth{step}", type="1000base-t", status=active, description=said(500 + number * 2 + step, 60))
            address = made(IPAddress, f"{number}-{step}", address=f"10.{number % 12}.{step}.{number // 12 + 10}/24", namespace=space, status=active, tenant=tenants[number % 8],
                           dns_name=f"{device.name}-{step}.example.org", description=said(700 + number * 2 + step, 60))
            port.ip_addresses.add(address)


with transaction.atomic():
    main()
