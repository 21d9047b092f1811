"""Two repositories of Subversion as dumps would make them: a trunk that grows, a tag every five commits, branches that go on.

    seed.py FOLDER"""

import os
import shutil
import subprocess
import sys

from texts import documents

FOLDERS = ["guide", "reference", "faq", "guide/platform", "reference/library", "notes"]


def svn(*words, within=None):
    subprocess.run(["svn", "--quiet", "--non-interactive", "--username", "ada", *words], check=True, cwd=within)


def made(folder, name, docs, commits):
    store, work = f"{folder}/repositories/{name}", f"{folder}/work"
    subprocess.run(["svnadmin", "create", "--fs-type", "fsfs", store], check=True)
    root = f"file://{store}"
    svn("mkdir", "-m", "where all is", f"{root}/trunk", f"{root}/tags", f"{root}/branches")
    shutil.rmtree(work, ignore_errors=True)
    svn("checkout", root, work)
    shown = {}

    def written(tree, number, sections):
        doc = docs[number]
        path = f"{work}/{tree}/{FOLDERS[number % 6]}/{doc.name}.txt"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(doc.text(sections)[:30_000])

    for number in range(len(docs)):
        shown[number] = 1 + number % 2
        written("trunk", number, shown[number])
    with open(f"{work}/trunk/README.txt", "w", encoding="utf-8") as file:
        file.write(f"The {name}.\n\n" + "\n".join(f"{FOLDERS[number % 6]}/{doc.name}.txt  {doc.title}" for number, doc in enumerate(docs)) + "\n")
    svn("add", "--force", "trunk", within=work)
    svn("commit", "-m", "all that there is", within=work)
    for commit in range(commits):
        for number in {commit * 5 % len(docs), commit * 11 % len(docs)}:
            shown[number] += 1
            written("trunk", number, shown[number])
        svn("commit", "-m", f"more on {docs[commit * 5 % len(docs)].name}", within=work)
        if commit % 5 == 4:
            release = f"{1 + commit // 20}.{commit // 5 % 4}"
            svn("copy", "-m", f"release {release}", f"{root}/trunk", f"{root}/tags/{release}")
            if commit % 20 == 4:
                svn("copy", "-m", f"for {release}", f"{root}/tags/{release}", f"{root}/branches/{release}-stable")
                svn("update", within=work)
                for number in (3, 14):
                    written(f"branches/{release}-stable", number, 4)
                svn("commit", "-m", "what was wrong", within=work)
        svn("update", within=work)
    shutil.rmtree(work)


def main():
    docs = documents()
    os.makedirs(f"{sys.argv[1]}/repositories")
    made(sys.argv[1], "manual", docs[:64], 60)
    made(sys.argv[1], "handbook", docs[64:110], 45)


main()
