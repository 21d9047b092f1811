"""Packages of the manual's texts in three indexes, of which each inherits from the one before, with their documentation.

    seed.py URL"""

import base64
import io
import json
import sys
import tarfile
import urllib.request
import zipfile
from html import escape

from texts import PEOPLE, documents, slug

URL = sys.argv[1]
DOCS = documents(60)
SEPARATOR = "seed-of-packages"


def asked(method, path, body=None, kind="application/json", login=None):
    headers = {"Accept": "application/json", "Content-Type": kind}
    if login:
        headers["X-Devpi-Auth"] = base64.b64encode(":".join(login).encode()).decode()
    with urllib.request.urlopen(urllib.request.Request(URL + path, body, headers, method=method)) as answer:
        return json.loads(answer.read() or "null") if "json" in answer.headers.get("Content-Type", "") else None


def form(fields, name, content):
    parts = [f'--{SEPARATOR}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode() for key, value in fields]
    parts.append(f'--{SEPARATOR}\r\nContent-Disposition: form-data; name="content"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{SEPARATOR}--\r\n".encode()


def source(name, version, text):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for path, content in (("PKG-INFO", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"), ("README", text)):
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(content.encode())
            archive.addfile(member, io.BytesIO(content.encode()))
    return file.getvalue()


def manual(name, version, doc, count):
    """A zip of HTML pages: an index, and a page for each section."""
    sections = doc.sections[:count]
    names = [f"{slug(one.heading)}-{number}.html" for number, one in enumerate(sections)]
    menu = "<ul>" + "".join(f'<li><a href="{path}">{escape(one.heading)}</a></li>' for path, one in zip(names, sections)) + "</ul>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("index.html", f"<html><head><title>{name} {version}</title></head><body><h1>{escape(doc.title)}</h1>{menu}</body></html>")
        for number, (path, one) in enumerate(zip(names, sections)):
            text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in one.paragraphs[:8])
            after = f'<p><a href="index.html">Contents</a> <a href="{names[(number + 1) % len(names)]}">Next</a></p>'
            archive.writestr(path, f"<html><head><title>{escape(one.heading)}</title></head><body><h1>{escape(one.heading)}</h1>{text}{after}</body></html>")
    return file.getvalue()


def upload(index, login, number, version, step):
    doc = DOCS[number]
    name, person = doc.name, PEOPLE[number % 8]
    described = f"{doc.title}\n\n" + "\n\n".join(paragraph for one in doc.sections[:2 + step] for paragraph in one.paragraphs[:3])[:4000]
    fields = [(":action", "file_upload"), ("name", name), ("version", version), ("summary", doc.title), ("description", described), ("author", person),
              ("author_email", f"{person.split()[0].lower()}@example.org"), ("license", "Artistic"), ("keywords", " ".join(slug(doc.title).split("-")[:4])),
              ("metadata_version", "2.1"), ("filetype", "sdist"), ("pyversion", "source"), ("classifiers", "Topic :: Documentation")]
    kind = f"multipart/form-data; boundary={SEPARATOR}"
    asked("POST", f"/{index}/", form(fields, f"{name}-{version}.tar.gz", source(name, version, described)), kind, login)
    if number % 3:
        fields[0] = (":action", "doc_upload")
        asked("POST", f"/{index}/", form(fields[:3], f"{name}-{version}.doc.zip", manual(name, version, doc, 3 + step)), kind, login)


def main():
    logins = {}
    for user in ("ada", "bela"):
        asked("PUT", f"/{user}", json.dumps({"password": "fixed-password", "email": f"{user}@example.org"}).encode())
        logins[user] = user, asked("POST", "/+login", json.dumps({"user": user, "password": "fixed-password"}).encode())["result"]["password"]
    for index, bases in (("ada/stable", []), ("ada/dev", ["ada/stable"]), ("bela/dev", ["ada/dev"])):
        asked("PUT", f"/{index}", json.dumps({"bases": bases, "volatile": True, "title": f"Packages of {index}"}).encode(), login=logins[index.split("/")[0]])
    for number in range(len(DOCS)):
        for step in range(1 + number % 3):
            upload("ada/stable", logins["ada"], number, f"1.{step}", step)
        if number % 4 == 0:
            upload("ada/dev", logins["ada"], number, "2.0", 3)
        if number % 7 == 0:
            upload("bela/dev", logins["bela"], number, "2.1", 4)


main()
