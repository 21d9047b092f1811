"""Two projects of two catalogues each, of sixteen sentences of the manual, partly translated into four languages.

    seed.py FOLDER"""

import os
import subprocess
import sys

import django

django.setup()

from texts import PEOPLE, documents, slug
from weblate.trans.models import Component, Project

LANGUAGES = ["cs", "de", "fr", "sv"]
SENTENCES = 16
WHEN = "2024-03-0{} 10:00:00 +0000"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def translated(text, language, number):
    """Words of no language, but others in each; some sentences have none yet, and some are doubtful."""
    if (number * 7 + LANGUAGES.index(language)) % 4 == 0:
        return ""
    return " ".join(word[::-1].lower() + language[0] * (len(word) % 3) for word in text.split())


def catalogue(doc, sentences, language):
    head = f"Project-Id-Version: {doc.name}\\nContent-Type: text/plain; charset=UTF-8\\nContent-Transfer-Encoding: 8bit\\nLanguage: {language}\\n"
    parts = [f'msgid ""\nmsgstr "{head}"\n']
    for number, text in enumerate(sentences):
        target = translated(text, language, number) if language else ""
        doubtful = "#, fuzzy\n" if target and (number + len(language)) % 9 == 0 else ""
        parts.append(f"#: {doc.name}.pod:{10 + number * 7}\n{doubtful}msgid {quoted(text)}\nmsgstr {quoted(target)}\n")
    return "\n".join(parts)


def sentences_of(doc):
    found = []
    for section in doc.sections:
        for text in [section.heading, *section.paragraphs]:
            text = text.split(". ")[0][:220].strip()
            if len(text) > 50 and text not in found:
                found.append(text)
    return found[:SENTENCES]


def repository(folder, docs):
    os.makedirs(folder)
    environment = {**os.environ, "HOME": folder}
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True, env=environment)
    for turn, languages in enumerate((["", *LANGUAGES[:2]], LANGUAGES[2:])):
        for doc in docs:
            os.makedirs(f"{folder}/{doc.name}", exist_ok=True)
            for language in languages:
                with open(f"{folder}/{doc.name}/{language}.po" if language else f"{folder}/{doc.name}/messages.pot", "w", encoding="utf-8") as file:
                    file.write(catalogue(doc, sentences_of(doc), language))
        name, when = PEOPLE[turn], WHEN.format(turn + 1)
        who = {"NAME": name, "EMAIL": f"{slug(name)}@example.org", "DATE": when}
        environment |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
        subprocess.run(["git", "-C", folder, "add", "."], check=True, env=environment)
        subprocess.run(["git", "-C", folder, "commit", "-q", "-m", f"Translations, part {turn + 1}"], check=True, env=environment)


def main(folder):
    docs = [doc for doc in documents(60) if len(sentences_of(doc)) == SENTENCES][:4]
    for place, name in enumerate(("Guide", "Reference")):
        mine = docs[place * 2:place * 2 + 2]
        repository(f"{folder}/{slug(name)}", mine)
        project = Project.objects.create(name=name, slug=slug(name), web=f"https://{slug(name)}.example.org/")
        for doc in mine:
            Component.objects.create(project=project, name=doc.title[:60].capitalize(), slug=doc.name, vcs="git", repo=f"file://{folder}/{slug(name)}",
                                     branch="main", filemask=f"{doc.name}/*.po", new_base=f"{doc.name}/messages.pot", file_format="po",
                                     license="MIT", push_on_commit=False)


main(sys.argv[1])
