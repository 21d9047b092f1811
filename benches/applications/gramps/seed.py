"""A family of eight generations as GEDCOM: births, weddings and deaths at places, with sources and notes.

    seed.py"""

from random import Random

from texts import PEOPLE, sections

FIRST = {"M": ("Adam", "Bela", "Dmitri", "Hugo", "Ivo", "Jan", "Karl", "Leo", "Marek", "Otto"), "F": ("Ada", "Carla", "Edith", "Femi", "Greta", "Hana", "Ida", "Julia", "Lena", "Mira")}
LAST = sorted({person.split()[1] for person in PEOPLE} | {"Vos", "Novak", "Silva", "Jensen", "Kowal"})
PLACES = [f"{town}, {county}" for county, towns in (("Zuid", ("Delft", "Leiden", "Gouda")), ("Vest", ("Bergen", "Voss")), ("Andal", ("Cadiz", "Jerez")), ("Ruhr", ("Essen", "Bochum"))) for town in towns]
MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
EVERY = sections()
random = Random(3)


def dated(year):
    return f"{random.randint(1, 28)} {MONTHS[random.randrange(12)]} {year}"


class Person:
    def __init__(self, number, sex, last, born, parents=None):
        self.number, self.sex, self.last, self.born, self.parents, self.families = number, sex, last, born, parents, []
        self.first = f"{FIRST[sex][number * 7 % 10]} {FIRST[sex][number * 3 % 10]}" if number % 3 else FIRST[sex][number * 7 % 10]
        self.birth, self.death = dated(born), dated(born + 40 + number * 13 % 50) if born < 1940 else None


def text(level, words):
    """A note, of lines that are not too long."""
    parts = [words[start:start + 200] for start in range(0, len(words), 200)]
    return "\n".join(f"{level} NOTE {part}" if not place else f"{level + 1} CONC {part}" for place, part in enumerate(parts))


def main():
    people, families = [], []

    def person(*about):
        people.append(Person(len(people) + 1, *about))
        return people[-1]

    couples = [(person("M", LAST[turn], 1770 + turn), person("F", LAST[turn + 5], 1772 + turn)) for turn in range(5)]
    for generation in range(7):
        following = []
        for husband, wife in couples:
            family = len(families) + 1
            families.append((husband, wife, []))
            husband.families.append(family)
            wife.families.append(family)
            for turn in range(1 + (family * 5 + generation) % 4):
                child = person("MF"[(family + turn) % 2], husband.last, husband.born + 26 + turn * 2, family)
                families[-1][2].append(child)
                following.append(child)
        couples = []
        for child in following[:34]:
            if child.number % 4 == 0:
                continue
            other = person("F" if child.sex == "M" else "M", LAST[child.number * 3 % len(LAST)], child.born + child.number % 5 - 2)
            couples.append((child, other) if child.sex == "M" else (other, child))
    lines = ["0 HEAD", "1 SOUR seed", "1 GEDC", "2 VERS 5.5.1", "2 FORM LINEAGE-LINKED", "1 CHAR UTF-8", "1 SUBM @U1@", "0 @U1@ SUBM", "1 NAME Ada Lind"]
    for one in people:
        doc, section = EVERY[one.number]
        lines += [f"0 @I{one.number}@ INDI", f"1 NAME {one.first} /{one.last}/", f"1 SEX {one.sex}", "1 BIRT", f"2 DATE {one.birth}", f"2 PLAC {PLACES[one.number % 9]}", f"2 SOUR @S{one.number % 24 + 1}@", f"3 PAGE {one.number % 90 + 1}"]
        if one.death:
            lines += ["1 DEAT", f"2 DATE {one.death}", f"2 PLAC {PLACES[one.number * 5 % 9]}"]
        if one.number % 3 == 0:
            lines.append(text(1, " ".join(section.paragraphs)[:300 + one.number * 31 % 700]))
        if one.parents:
            lines.append(f"1 FAMC @F{one.parents}@")
        lines += [f"1 FAMS @F{family}@" for family in one.families]
    for number, (husband, wife, children) in enumerate(families, 1):
        lines += [f"0 @F{number}@ FAM", f"1 HUSB @I{husband.number}@", f"1 WIFE @I{wife.number}@", *(f"1 CHIL @I{child.number}@" for child in children), "1 MARR", f"2 DATE {dated(husband.born + 24)}", f"2 PLAC {PLACES[number % 9]}"]
    for number in range(1, 25):
        doc, section = EVERY[500 + number]
        lines += [f"0 @S{number}@ SOUR", f"1 TITL Register of {PLACES[number % 9]}, {number}", f"1 AUTH {PEOPLE[number % 8]}", text(1, section.paragraphs[0][:500])]
    print("\n".join(lines + ["0 TRLR"]))


main()
