"""A database of dpkg with the packages of three sections, as apt knows them; eight in nine are installed, with a few files, and of the others only the configuration is left.

    apt-cache dumpavail | seed.py FOLDER"""

import os
import re
import sys

FOLDER = sys.argv[1]
SECTIONS = {"httpd", "news", "vcs"}
KEPT = ("Package", "Essential", "Priority", "Section", "Installed-Size", "Maintainer", "Architecture", "Source", "Version", "Provides", "Depends", "Pre-Depends", "Recommends", "Suggests", "Breaks", "Conflicts", "Description", "Homepage")


def main():
    os.makedirs(f"{FOLDER}/info")
    os.makedirs(f"{FOLDER}/updates")
    records = {}
    for block in sys.stdin.read().split("\n\n"):
        fields = {field.group(1): field.group(2) for field in re.finditer(r"^([A-Z][\w-]*): (.*(?:\n[ \t].*)*)", block, re.M)}
        if fields.get("Section", "") in SECTIONS and fields["Package"] not in records:
            records[fields["Package"]] = {name: fields[name] for name in KEPT if name in fields}
    with open(f"{FOLDER}/status", "w", encoding="utf-8") as status, open(f"{FOLDER}/available", "w", encoding="utf-8") as available:
        for number, name in enumerate(sorted(records)):
            fields = records[name]
            lines = [f"{field}: {value}" for field, value in fields.items()]
            available.write("\n".join(lines) + "\n\n")
            if number % 9 == 8:
                status.write("\n".join([lines[0], "Status: deinstall ok config-files", *lines[1:], f"Config-Version: {fields['Version']}"]) + "\n\n")
                continue
            status.write("\n".join([lines[0], "Status: install ok installed", *lines[1:]]) + "\n\n")
            files = ["/.", "/usr", "/usr/bin", f"/usr/bin/{name}", "/usr/share", "/usr/share/doc", f"/usr/share/doc/{name}", *(f"/usr/share/doc/{name}/{file}" for file in ("changelog.Debian.gz", "copyright")), "/usr/share/man", "/usr/share/man/man1", f"/usr/share/man/man1/{name}.1.gz"]
            with open(f"{FOLDER}/info/{name}.list", "w", encoding="utf-8") as file:
                file.write("\n".join(files) + "\n")
    with open(f"{FOLDER}/info/format", "w", encoding="utf-8") as file:
        file.write("1\n")


main()
