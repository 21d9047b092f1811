"""Sources of a library that says what the manual does, and what tests ran of them in one build.

    seed.py FOLDER BUILD"""

import os
import sys

from texts import documents, slug

FOLDER, BUILD = sys.argv[1], int(sys.argv[2])
PARTS = ("base", "io", "text", "regex", "unicode", "threads", "modules", "net", "tools")


def name(text):
    return slug(text).replace("-", "_")[:30].strip("_")


def function(number, label, section, grown):
    """Lines of a function, those of its lines that can run, and how it is called."""
    lines, runs = ["/*"], []
    for paragraph in section.paragraphs[:2 + grown]:
        words = paragraph[:400].replace("*/", "").split()
        lines += [" * " + " ".join(words[start:start + 12]) for start in range(0, len(words), 12)]
    lines += [" */", f"int {label}(const char *{name(section.heading)[:12] or 'x'}, size_t length)", "{"]
    for step in range(2 + number % 5 + grown):
        lines.append(f"    if (length > {number % 97 + step * 7})")
        runs.append(len(lines))
        lines.append(f"        return {label}_{step}({name(section.heading)[:12] or 'x'} + {step}, length - {number % 13 + step});")
        runs.append(len(lines))
    lines += ["    return 0;", "}", ""]
    runs.append(len(lines) - 2)
    return lines, runs


def main():
    trace, number = [], 0
    for place, doc in enumerate(documents(96)):
        folder = os.path.join(FOLDER, "src", PARTS[place * 5 % len(PARTS)])
        os.makedirs(folder, exist_ok=True)
        path, source, told, counts, reached = os.path.join(folder, f"{doc.name}.c"), [f"/* {doc.name} - {doc.title} */", ""], [], [], []
        # A seventh of the files grows with each build, and stays so; the others are as they were.
        grown = sum(build % 7 == place % 7 for build in range(1, BUILD + 1))
        for section in doc.sections[:1 + place % 7]:
            number += 1
            label = f"{doc.name}_{name(section.heading)}_{number}"
            lines, runs = function(number, label, section, grown)
            called = 0 if number % 4 == 1 and not grown else number * 31 % 240
            told.append(f"FN:{len(source) + next(at for at, line in enumerate(lines) if line.startswith('int ')) + 1},{label}")
            told.append(f"FNDA:{called},{label}")
            reached.append(called > 0)
            counts += [(len(source) + line, called * (1 + step % 3) if step < len(runs) - number % 3 else 0) for step, line in enumerate(runs)]
            source += lines
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(source) + "\n")
        trace += ["TN:", f"SF:{path}", *sorted(told, key=lambda line: line.startswith("FNDA")), f"FNF:{len(reached)}", f"FNH:{sum(reached)}", *(f"DA:{line},{count}" for line, count in counts), f"LF:{len(counts)}",
                  f"LH:{sum(count > 0 for _, count in counts)}", "end_of_record"]
    with open(os.path.join(FOLDER, "trace.info"), "w", encoding="utf-8") as file:
        file.write("\n".join(trace) + "\n")


main()
