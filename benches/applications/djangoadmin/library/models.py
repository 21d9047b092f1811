"""What a library has: books of authors and publishers, copies of them, and who has them."""

from django.db import models


class Named(models.Model):
    name = models.CharField(max_length=120)

    class Meta:
        abstract = True
        ordering = ["name"]

    def __str__(self):
        return self.name


class Author(Named):
    country = models.CharField(max_length=40)
    born = models.IntegerField()
    notes = models.TextField()


class Publisher(Named):
    city = models.CharField(max_length=40)


class Subject(Named):
    notes = models.TextField()


class Reader(Named):
    joined = models.DateField()
    is_active = models.BooleanField(default=True)


class Book(models.Model):
    title = models.CharField(max_length=160)
    author = models.ForeignKey(Author, models.CASCADE)
    publisher = models.ForeignKey(Publisher, models.CASCADE)
    subjects = models.ManyToManyField(Subject)
    published = models.DateField()
    pages = models.IntegerField()
    language = models.CharField(max_length=8, choices=[("en", "English"), ("de", "German"), ("it", "Italian")])
    in_print = models.BooleanField(default=True)
    summary = models.TextField()

    class Meta:
        ordering = ["title", "id"]

    def __str__(self):
        return self.title


class Copy(models.Model):
    book = models.ForeignKey(Book, models.CASCADE)
    shelf = models.CharField(max_length=12)
    state = models.CharField(max_length=8, choices=[("new", "As new"), ("used", "Used"), ("worn", "Worn")])
    acquired = models.DateField()

    class Meta:
        ordering = ["shelf"]
        verbose_name_plural = "copies"

    def __str__(self):
        return f"{self.shelf}: {self.book}"


class Loan(models.Model):
    copy = models.ForeignKey(Copy, models.CASCADE)
    reader = models.ForeignKey(Reader, models.CASCADE)
    begun = models.DateField()
    returned = models.DateField(null=True)

    class Meta:
        ordering = ["-begun", "id"]

    def __str__(self):
        return f"{self.reader} has {self.copy}"
