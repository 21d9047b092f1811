from django.contrib import admin

from .models import Author, Book, Copy, Loan, Publisher, Reader, Subject


class Copies(admin.TabularInline):
    model = Copy
    extra = 0
    show_change_link = True


@admin.register(Book)
class Books(admin.ModelAdmin):
    list_display = ["title", "author", "publisher", "published", "pages", "in_print"]
    list_filter = ["language", "in_print", "subjects"]
    list_select_related = ["author", "publisher"]
    date_hierarchy = "published"
    search_fields = ["title", "summary"]
    list_per_page = 40
    inlines = [Copies]


@admin.register(Author)
class Authors(admin.ModelAdmin):
    list_display = ["name", "country", "born"]
    list_filter = ["country"]


@admin.register(Copy)
class CopyList(admin.ModelAdmin):
    list_display = ["shelf", "book", "state", "acquired"]
    list_filter = ["state"]
    list_select_related = ["book"]


@admin.register(Loan)
class Loans(admin.ModelAdmin):
    list_display = ["copy", "reader", "begun", "returned"]
    list_filter = [("returned", admin.EmptyFieldListFilter), "reader"]
    list_select_related = ["copy__book", "reader"]
    date_hierarchy = "begun"


@admin.register(Reader)
class Readers(admin.ModelAdmin):
    list_display = ["name", "joined", "is_active"]
    list_filter = ["is_active"]


admin.site.register(Publisher, list_display=["name", "city"])
admin.site.register(Subject)
