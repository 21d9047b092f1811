"""A directory as LDIF: people in departments who have managers, groups, hosts and rooms, described by what the manual says."""

from base64 import b64encode

from texts import PEOPLE, sections, slug

BASE = "dc=example,dc=org"
EVERY = sections()
PARTS = ("Building", "Editing", "Maintenance", "Printing", "Research", "Teaching")


def said(number, length=300):
    return EVERY[number % len(EVERY)][1].paragraphs[0][:length].strip()


def entry(dn, **values):
    """In base64 what is not plain; the same number each time."""
    print("dn: " + dn)
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            one = str(one)
            print(f"{name}: {one}" if one.isascii() and one.isprintable() and one[0].isalnum() else f"{name}:: {b64encode(one.encode()).decode()}")
    print()


def main():
    entry(BASE, objectClass=["top", "dcObject", "organization"], dc="example", o="Example", description=said(0))
    for place, name in enumerate(("people", "groups", "hosts", "rooms")):
        entry(f"ou={name},{BASE}", objectClass="organizationalUnit", ou=name, description=said(1 + place))
    for place, name in enumerate(PARTS):
        entry(f"ou={name},ou=people,{BASE}", objectClass="organizationalUnit", ou=name, description=said(10 + place), telephoneNumber=f"+31 20 {5550000 + place}")
    entry(f"uid=ada,ou=people,{BASE}", objectClass="inetOrgPerson", uid="ada", cn="Ada Lind", sn="Lind", userPassword="fixed-for-this-directory")
    people = []
    for number in range(300):
        first, last = PEOPLE[number % 8].split()[0], PEOPLE[number // 8 % 8].split()[1]
        uid = f"{slug(first)}{slug(last)}{number // 64 or ''}"
        dn = f"uid={uid},ou={PARTS[number * 5 % 6]},ou=people,{BASE}"
        entry(dn, objectClass=["inetOrgPerson", "posixAccount"], uid=uid, cn=f"{first} {last}", sn=last, givenName=first, uidNumber=2000 + number, gidNumber=500 + number % 6,
              homeDirectory=f"/home/{uid}", loginShell=("/bin/bash", "/bin/sh")[number % 2], mail=f"{uid}@example.org", telephoneNumber=f"+31 20 {5551000 + number}",
              l=("Bergen", "Cadiz", "Delft", "Essen")[number % 4], title=EVERY[number][1].heading[:60], description=said(20 + number),
              manager=[people[number // 7]] if number else [], roomNumber=f"R{number % 40:02}")
        people.append(dn)
    for number in range(40):
        members = [people[(number * 7 + step * step * 3) % 300] for step in range(3 + number % 9)]
        entry(f"cn=group{number:02},ou=groups,{BASE}", objectClass="groupOfNames", cn=f"group{number:02}", description=said(400 + number, 160),
              owner=people[number * 3], member=list(dict.fromkeys(members)))
    for number in range(80):
        entry(f"cn=host{number:02},ou=hosts,{BASE}", objectClass=["device", "ipHost"], cn=f"host{number:02}", ipHostNumber=f"10.0.{number // 20}.{number % 20 + 1}",
              serialNumber=f"S{number * 7919:06}", l=("Bergen", "Cadiz", "Delft", "Essen")[number % 4], owner=people[number * 3], description=said(500 + number, 200))
    for number in range(40):
        entry(f"cn=R{number:02},ou=rooms,{BASE}", objectClass="room", cn=f"R{number:02}", telephoneNumber=f"+31 20 {5559000 + number}", description=said(600 + number, 200))


main()
