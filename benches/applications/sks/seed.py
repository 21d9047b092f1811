"""Keys of Debian's keyrings for a key server, and pages that lead to them.

    seed.py KEYS WEB    # the file of keys to write, and the folder of pages

Signatures of people who are not among them are left out but for one of twelve, as whoever cleans a keyring does."""

import re
import sys
from hashlib import sha1
from html import escape

RINGS = ["debian-keyring.gpg", "debian-maintainers.gpg"]
MOST, LONGEST = 420, 20_000


def packets(data):
    """(kind, where its body begins, octets) of each."""
    at = 0
    while at < len(data):
        first = data[at]
        if first & 0x40:
            kind, length = first & 0x3f, data[at + 1]
            if length < 192:
                size, head = length, 2
            elif length < 224:
                size, head = ((length - 192) << 8) + data[at + 2] + 192, 3
            else:
                size, head = int.from_bytes(data[at + 2:at + 6], "big"), 6
        else:
            kind, octets = first >> 2 & 15, 1 << (first & 3)
            size, head = int.from_bytes(data[at + 1:at + 1 + octets], "big"), 1 + octets
        yield kind, head, data[at:at + head + size]
        at += head + size


def keys(path):
    """Each as its packets."""
    key = []
    with open(path, "rb") as file:
        for packet in packets(file.read()):
            if packet[0] == 6 and key:
                yield key
                key = []
            if packet[0] != 12:
                key.append(packet)
    yield key


def fingerprint(key):
    _, head, packet = key[0]
    body = packet[head:]
    return sha1(b"\x99" + len(body).to_bytes(2, "big") + body).hexdigest().upper() if body[0] == 4 else None


def issuer(packet, head):
    """The long name of the key that a signature is made with."""
    body = packet[head:]
    if body[0] != 4:
        return body[7:15].hex().upper()
    at = 4
    for _ in range(2):
        end = at + 2 + int.from_bytes(body[at:at + 2], "big")
        at += 2
        while at < end:
            length = body[at]
            if length < 192:
                at += 1
            elif length < 255:
                length, at = ((length - 192) << 8) + body[at + 1] + 192, at + 2
            else:
                length, at = int.from_bytes(body[at + 1:at + 5], "big"), at + 5
            if body[at] & 0x7f == 16:
                return body[at + 1:at + 9].hex().upper()
            at += length
    return None


def main():
    to, web = sys.argv[1:]
    found = [key for ring in RINGS for key in keys(f"/usr/share/keyrings/{ring}")]
    found = [key for key in found if fingerprint(key) and sum(len(one[2]) for one in key) < LONGEST][:MOST]
    known = {fingerprint(key)[-16:] for key in found}
    people, number = [], 0
    with open(to, "wb") as file:
        for key in found:
            for kind, head, packet in key:
                if kind == 2 and (by := issuer(packet, head)) and by not in known:
                    number += 1
                    if number % 12:
                        continue
                file.write(packet)
            names = [packet[head:].decode("utf-8", "replace") for kind, head, packet in key if kind == 13]
            people.append((re.sub(r"\s*[<(].*", "", names[0]) or names[0], fingerprint(key)))
    people.sort()
    with open(f"{web}/index.html", encoding="utf-8") as file:
        front = file.read()
    with open(f"{web}/index.html", "w", encoding="utf-8") as file:
        file.write(front.replace("</body>", '<p><a href="/people.html">Whose keys are here</a>, <a href="/party.html">who was at the meeting</a></p></body>'))
    with open(f"{web}/people.html", "w", encoding="utf-8") as file:
        words = sorted({word for name, _ in people for word in name.split() if re.fullmatch(r"[A-Z][a-z]{3,}", word)})
        file.write("<html><head><title>People</title></head><body><h1>Whose keys are here</h1><ul>")
        for name, of in people:
            file.write(f'<li><a href="/pks/lookup?search=0x{of[-16:]}&amp;op=index">{escape(name)}</a></li>\n')
        file.write("</ul><h2>By a part of the name</h2><p>")
        for word in words:
            file.write(f'<a href="/pks/lookup?search={word}&amp;fingerprint=on&amp;op=index">{word}</a>\n')
        file.write("</p></body></html>")
    with open(f"{web}/party.html", "w", encoding="utf-8") as file:
        file.write("<html><head><title>Meeting</title></head><body><h1>Who was at the meeting</h1><pre>")
        for place, (name, of) in enumerate(people[::3], 1):
            file.write(f'{place:03}  [ ] Fingerprint OK  [ ] ID OK\npub <a href="/pks/lookup?op=vindex&amp;search=0x{of[-8:]}">{of[-8:]}</a>'
                       f' <a href="/pks/lookup?op=get&amp;search=0x{of}">{of}</a>\nuid {escape(name)}\n\n')
        file.write("</pre></body></html>")


main()
