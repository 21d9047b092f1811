"""A directory of an institute: departments, people, projects and what was noted of them, to be looked at by whoever comes."""

import os

from flask import Flask
from flask_appbuilder import AppBuilder, Model, ModelView, SQLA
from flask_appbuilder.models.sqla.interface import SQLAInterface
from sqlalchemy import Column, Date, ForeignKey, Integer, String, Table, Text
from sqlalchemy.orm import relationship

app = Flask(__name__)
app.config.update(
    SECRET_KEY="fixed", SQLALCHEMY_DATABASE_URI=f"sqlite:///{os.environ['DIRECTORY_STATE']}/directory.db", SQLALCHEMY_TRACK_MODIFICATIONS=False, APP_NAME="Institute",
    WTF_CSRF_ENABLED=False, RATELIMIT_ENABLED=False, FAB_ADD_SECURITY_VIEWS=True, FAB_API_SWAGGER_UI=False,
    LANGUAGES={"en": {"flag": "gb", "name": "English"}, "de": {"flag": "de", "name": "German"}})
db = SQLA(app)

works_on = Table("works_on", Model.metadata, Column("person_id", ForeignKey("person.id"), primary_key=True), Column("project_id", ForeignKey("project.id"), primary_key=True))


class Department(Model):
    id = Column(Integer, primary_key=True)
    name = Column(String(80), unique=True, nullable=False)
    building = Column(String(40))

    def __repr__(self):
        return self.name


class Person(Model):
    id = Column(Integer, primary_key=True)
    name = Column(String(80), nullable=False)
    mail = Column(String(80))
    phone = Column(String(30))
    since = Column(Date)
    about = Column(Text)
    department_id = Column(Integer, ForeignKey("department.id"), nullable=False)
    department = relationship("Department", backref="people")
    projects = relationship("Project", secondary=works_on, backref="people")

    def __repr__(self):
        return self.name


class Project(Model):
    id = Column(Integer, primary_key=True)
    title = Column(String(120), nullable=False)
    status = Column(String(20))
    begun = Column(Date)
    summary = Column(Text)

    def __repr__(self):
        return self.title


class Note(Model):
    id = Column(Integer, primary_key=True)
    day = Column(Date)
    kind = Column(String(20))
    text = Column(Text)
    project_id = Column(Integer, ForeignKey("project.id"), nullable=False)
    project = relationship("Project", backref="notes")
    person_id = Column(Integer, ForeignKey("person.id"), nullable=False)
    person = relationship("Person", backref="notes")

    def __repr__(self):
        return f"{self.kind} {self.id}"


class NoteView(ModelView):
    datamodel = SQLAInterface(Note)
    list_columns = ["day", "kind", "project", "person"]
    show_columns = ["day", "kind", "project", "person", "text"]
    page_size = 20


class PersonView(ModelView):
    datamodel = SQLAInterface(Person)
    list_columns = ["name", "department", "phone", "since"]
    show_columns = ["name", "department", "mail", "phone", "since", "about", "projects"]
    related_views = [NoteView]
    page_size = 20


class ProjectView(ModelView):
    datamodel = SQLAInterface(Project)
    list_columns = ["title", "status", "begun"]
    show_columns = ["title", "status", "begun", "summary", "people"]
    related_views = [NoteView]
    page_size = 20


class DepartmentView(ModelView):
    datamodel = SQLAInterface(Department)
    list_columns = ["name", "building"]
    related_views = [PersonView]


with app.app_context():
    builder = AppBuilder(app, db.session)
    builder.add_view(PersonView, "People", category="Directory")
    builder.add_view(DepartmentView, "Departments", category="Directory")
    builder.add_view(ProjectView, "Projects", category="Work")
    builder.add_view(NoteView, "Notes", category="Work")
