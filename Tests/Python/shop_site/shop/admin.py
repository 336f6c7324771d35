from django.contrib import admin

from .models import Author, Book, Document, Tag


class Books(admin.TabularInline):
    model = Book
    extra = 2


@admin.register(Author)
class AuthorAdmin(admin.ModelAdmin):
    inlines = [Books]


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    exclude = ["internal_note"]


admin.site.register([Document, Tag])
