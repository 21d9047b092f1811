"""A year of a small hotel: 240 guests, 14 rooms and some 420 stays, as rows of the tables.

    seed.py DATABASE YEAR"""

import sqlite3
import sys
from random import Random

from texts import sections

FIRST = ["Ada", "Bela", "Carla", "Dmitri", "Edith", "Femi", "Greta", "Hugo", "Ines", "Jan", "Kim", "Lena", "Milo", "Nora", "Otto", "Petra", "Rosa", "Sven", "Tara", "Uwe"]
LAST = ["Lind", "Farkas", "Rossi", "Orlov", "Baker", "Ojo", "Holm", "Petit", "Costa", "Novak", "Larsen", "Meyer", "Silva", "Tanaka", "Weber", "Haas", "Moreau"]
TOWNS = [("Oslo", "Norway"), ("Turin", "Italy"), ("Lyon", "France"), ("Porto", "Portugal"), ("Graz", "Austria"), ("Ghent", "Belgium"), ("Turku", "Finland")]
random = Random(17)
path, year = sys.argv[1:]
named = sections()


def said(number, count):
    return " ".join(named[number % len(named)][1].paragraphs)[:count]


with sqlite3.connect(path) as base:
    for number in range(6, 15):
        base.execute("INSERT INTO appartamenti (idappartamenti) VALUES (?)", (f"{number:02}",))
    for number in range(1, 15):
        base.execute("UPDATE appartamenti SET numpiano = ?, maxoccupanti = ?, numcasa = ?, priorita = ?, commento = ? WHERE idappartamenti = ?",
                     (str(1 + number // 5), 2 + number % 3, "AB"[number % 2], number, said(number * 3, 300), f"{number:02}"))
    for number in range(1, 241):
        first, last, (town, land) = FIRST[number % 20], LAST[number * 3 % 17], TOWNS[number % 7]
        base.execute("INSERT INTO clienti (idclienti, cognome, nome, citta, nazione, via, numcivico, cap, email, telefono, commento, datainserimento, hostinserimento, utente_inserimento, max_num_ordine) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'localhost', 1, 1)",
                     (number, last, first, town, land, f"{named[number][0].name} street", str(number % 90 + 1), str(10000 + number * 37), f"{first.lower()}.{last.lower()}{number}@example.org", f"0{5550000 + number * 13}",
                      said(number + 200, 100), f"{year}-01-{number % 28 + 1:02} 10:00:00"))
    number = 0
    for room in range(1, 15):
        day = 3 + room % 4
        while day < 355:
            nights = random.randint(2, 9)
            number += 1
            price = 60 + room * 5
            base.execute("INSERT INTO prenota" + year + " (idprenota, idclienti, idappartamenti, iddatainizio, iddatafine, assegnazioneapp, num_persone, tariffa, tariffesettimanali, tariffa_tot, caparra, pagato, "
                         "conferma, commento, datainserimento, hostinserimento, utente_inserimento, codice) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'localhost', 1, ?)",
                         (number, 1 + number * 7 % 240, f"{room:02}", day, day + nights - 1, "v" if number % 3 else "k", 1 + number % 3, f"rate1#@&{price * nights}", ",".join([str(price)] * nights) + ";0", price * nights,
                          price, price * nights if number % 2 else price, "S" if number % 4 else "N", said(number + 450, 90), f"{year}-01-{number % 28 + 1:02} 11:00:00", f"c{number:03x}"))
            day += nights + random.randint(2, 12)
