import uuid

from django.db import models


class Tag(models.Model):
    name = models.CharField(max_length=60)


class Author(models.Model):
    name = models.CharField(max_length=60)

    def __str__(self):
        return self.name


class Book(models.Model):
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    title = models.CharField(max_length=80)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=1)
    tags = models.ManyToManyField(Tag, blank=True)
    internal_note = models.CharField(max_length=60, blank=True)

    def __str__(self):
        return self.title


class Document(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    title = models.CharField(max_length=60)


class SavedBook(models.Model):
    """What a signal writes."""
    title = models.CharField(max_length=90)
