"""What the catalogue knows."""

import os

from py4web import DAL, Field

db = DAL("sqlite://library.db", folder=os.environ["LIBRARY_STATE"], pool_size=1)
db.define_table("author", Field("name"), Field("country"), Field("born", "integer"), Field("about", "text"), format="%(name)s")
db.define_table("publisher", Field("name"), Field("city"), Field("founded", "integer"), format="%(name)s")
db.define_table("book", Field("title"), Field("author", "reference author"), Field("publisher", "reference publisher"), Field("year", "integer"), Field("shelf"), Field("summary", "text"), format="%(title)s")
db.define_table("loan", Field("book", "reference book"), Field("reader"), Field("begun", "date"), Field("ended", "date"), Field("remark", "text"))
