"""Two databases as SQL: a library of the manual and a shop, and who may read them."""

from random import Random

from texts import PEOPLE, documents, sections

random = Random(3)
EVERY = sections()
TABLES = """
CREATE DATABASE library CHARACTER SET utf8mb4;
USE library;
CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE, town VARCHAR(40), since DATE) COMMENT='Who borrows';
CREATE TABLE books (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(80) NOT NULL, title VARCHAR(200), part ENUM('guide','reference','faq','platform'), editor INT,
  KEY part (part), FOREIGN KEY (editor) REFERENCES people (id)) COMMENT='Documents of the manual';
CREATE TABLE chapters (id INT AUTO_INCREMENT PRIMARY KEY, book INT NOT NULL, heading VARCHAR(200), text TEXT, words INT, KEY words (words),
  FULLTEXT KEY text (text), FOREIGN KEY (book) REFERENCES books (id) ON DELETE CASCADE);
CREATE TABLE copies (id INT AUTO_INCREMENT PRIMARY KEY, book INT NOT NULL, shelf CHAR(4), state SET('worn','marked','new'), FOREIGN KEY (book) REFERENCES books (id));
CREATE TABLE loans (id INT AUTO_INCREMENT PRIMARY KEY, copy INT NOT NULL, reader INT NOT NULL, begun DATE NOT NULL, returned DATE, KEY begun (begun),
  FOREIGN KEY (copy) REFERENCES copies (id), FOREIGN KEY (reader) REFERENCES people (id));
CREATE VIEW long_chapters AS SELECT id, book, heading, words FROM chapters WHERE words > 150;
CREATE FUNCTION shelf_of(number INT) RETURNS CHAR(4) READS SQL DATA RETURN (SELECT shelf FROM copies WHERE id = number);
CREATE TRIGGER counted BEFORE INSERT ON chapters FOR EACH ROW SET NEW.words = LENGTH(NEW.text) - LENGTH(REPLACE(NEW.text, ' ', '')) + 1;
CREATE DATABASE shop CHARACTER SET utf8mb4;
USE shop;
CREATE TABLE kinds (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40));
CREATE TABLE products (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(80), kind INT, price DECIMAL(8,2), FOREIGN KEY (kind) REFERENCES kinds (id));
CREATE TABLE sales (id INT AUTO_INCREMENT PRIMARY KEY, day DATE, region ENUM('north','south','east','west'), product INT, amount INT, note VARCHAR(160),
  KEY day (day), FOREIGN KEY (product) REFERENCES products (id));
"""


def quoted(value):
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, (int, float)) else "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def rows(table, columns, values):
    print(f"INSERT INTO {table} ({columns}) VALUES")
    print(",\n".join("(" + ", ".join(map(quoted, one)) + ")" for one in values) + ";")


def main():
    print(TABLES)
    docs = documents(50)
    rows("library.people", "name, town, since", [
        (PEOPLE[number % 8] + (f" {number // 8 + 1}" if number >= 8 else ""), ("Bergen", "Cadiz", "Delft", "Essen")[number * 3 % 4], f"20{10 + number % 12}-0{number % 9 + 1}-11")
        for number in range(32)])
    rows("library.books", "name, title, part, editor", [
        (doc.name, doc.title, ("guide", "reference", "faq", "platform")[number % 4], number * 5 % 32 + 1) for number, doc in enumerate(docs)])
    rows("library.chapters", "book, heading, text", [
        (number + 1, section.heading, " ".join(section.paragraphs)[:1500]) for number, doc in enumerate(docs) for section in doc.sections[:5]])
    rows("library.copies", "book, shelf, state", [
        (number * 7 % len(docs) + 1, f"{'ABCD'[number % 4]}{number % 9}", ("worn", "marked", "new", "worn,marked")[number % 4]) for number in range(120)])
    rows("library.loans", "copy, reader, begun, returned", [
        (number * 11 % 120 + 1, number * 13 % 32 + 1, f"2024-{number % 12 + 1:02}-{number % 27 + 1:02}", None if number % 6 == 0 else f"2025-01-{number % 27 + 1:02}")
        for number in range(200)])
    rows("shop.kinds", "name", [("book",), ("leaf",), ("card",)])
    rows("shop.products", "name, kind, price", [
        (f"{EVERY[number][1].heading[:40]}, printed", number % 3 + 1, round(random.uniform(2, 60), 2)) for number in range(60)])
    rows("shop.sales", "day, region, product, amount, note", [
        (f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}", random.choice(("north", "south", "east", "west")), random.randint(1, 60), random.randint(1, 9),
         EVERY[number + 100][1].paragraphs[0][:120]) for number in range(250)])
    print("CREATE USER reader@localhost; GRANT SELECT, SHOW VIEW, EXECUTE, TRIGGER ON library.* TO reader@localhost; GRANT SELECT ON shop.* TO reader@localhost;")


main()
