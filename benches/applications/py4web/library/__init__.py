"""A library's catalogue: books, who wrote and who lent them, in lists as py4web's Grid makes them, to be looked at by whoever comes."""

from py4web import URL, action
from py4web.utils.grid import Grid

from .models import db

LISTS = {"books": "Books", "authors": "Authors", "publishers": "Publishers", "loans": "Loans"}

def shown(title, grid):
    links = " ".join(f'<a href="{URL(name)}">{called}</a>' for name, called in LISTS.items())
    return f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head><body><nav>{links}</nav><h1>{title}</h1>{grid.render() if hasattr(grid, "render") else grid}</body></html>'

def listed(query, columns, order):
    return Grid(query, columns=columns, orderby=order, create=True, editable=True, deletable=False, details=True, rows_per_page=20)


@action("index")
@action.uses(db)
def index():
    shelves = " ".join(f'<a href="{URL("shelf", name)}">{name}</a>' for name in "ABCDEFGH")
    return shown("Library", f"<p>Shelves: {shelves}</p>")


@action("books")
@action.uses(db)
def books():
    return shown("Books", listed(db.book.id > 0, [db.book.title, db.book.author, db.book.publisher, db.book.year, db.book.shelf], db.book.title))


@action("authors")
@action.uses(db)
def authors():
    return shown("Authors", listed(db.author.id > 0, [db.author.name, db.author.country, db.author.born], db.author.name))


@action("publishers")
@action.uses(db)
def publishers():
    return shown("Publishers", listed(db.publisher.id > 0, [db.publisher.name, db.publisher.city, db.publisher.founded], db.publisher.name))


@action("loans")
@action.uses(db)
def loans():
    return shown("Loans", listed(db.loan.id > 0, [db.loan.book, db.loan.reader, db.loan.begun, db.loan.ended], db.loan.begun))


@action("shelf/<name>")
@action.uses(db)
def shelf(name):
    return shown(f"Shelf {name}", listed(db.book.shelf == name, [db.book.title, db.book.author, db.book.year], db.book.title))
