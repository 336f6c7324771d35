"""Each way in which a request can write. What it writes contains a mark."""
from django.db import connection, transaction
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt

from .models import Author, Book, Document, Tag


def plain(mark):
    """Two commits without a transaction of the program; an insertion returns the new key."""
    assert Tag.objects.create(name=f"one {mark}").pk
    Tag.objects.create(name=f"two {mark}")


def atomic(mark):
    """Reads first, as most transactions do."""
    with transaction.atomic():
        Tag.objects.count()
        author = Author.objects.create(name=mark)
        Book.objects.create(author=author, title=f"first {mark}")


def bulk(mark):
    with transaction.atomic():
        author = Author.objects.create(name=mark)
        Book.objects.bulk_create(
            Book(author=author, title=f"{number} {mark}") for number in range(9))
        Book.objects.filter(author=author).update(title=f"updated {mark}")
        Book.objects.filter(author=author)[0].tags.set([Tag.objects.create(name=mark)])


def raw(mark):
    with connection.cursor() as cursor:
        cursor.execute("-- A comment\nWITH name AS (SELECT %s) INSERT INTO shop_tag (name)"
                       " SELECT * FROM name", [f"cte {mark}"])
        cursor.executemany("INSERT INTO shop_tag (name) VALUES (%s)", [[mark], [mark]])
        cursor.execute("INSERT INTO shop_tag (name) VALUES (%s), (%s) RETURNING name, id",
                       [mark, "b"])
        rows = cursor.fetchall()
        assert [row[0] for row in rows] == [mark, "b"] and rows[0][1] < rows[1][1], rows
        cursor.execute("UPDATE shop_tag SET name = %s WHERE id = %s", [f"b {mark}", rows[1][1]])
        assert cursor.rowcount == 1
        # One of the words in a question.
        cursor.execute("WITH one AS (SELECT 'INSERT') SELECT * FROM one")
        assert cursor.fetchall() == [("INSERT",)]


def savepoint(mark):
    """The first writing statement, before which the bracket begins, is rolled back."""
    with transaction.atomic():
        Tag.objects.count()
        try:
            with transaction.atomic():
                Tag.objects.create(name=f"lost {mark}")
                raise KeyError
        except KeyError:
            Tag.objects.create(name=f"kept {mark}")
        try:
            with transaction.atomic():
                Tag.objects.create(name=f"lost {mark}")
                raise KeyError
        except KeyError:
            Tag.objects.create(name=f"second {mark}")


def manual(mark):
    """Transactions without atomic()."""
    transaction.set_autocommit(False)
    try:
        Tag.objects.create(name=f"lost {mark}")
        transaction.rollback()
        Tag.objects.create(name=f"kept {mark}")
        transaction.commit()
        Tag.objects.create(name=f"second {mark}")
        transaction.commit()
    finally:
        transaction.set_autocommit(True)


def rollback(mark):
    with transaction.atomic():
        Tag.objects.create(name=f"lost {mark}")
        raise ValueError


def after_commit(mark):
    with transaction.atomic():
        Tag.objects.create(name=f"first {mark}")
        transaction.on_commit(lambda: Tag.objects.create(name=f"after {mark}"))


def signal(mark):
    Document.objects.create(title=mark)
    book = Book(author=Author.objects.create(name=mark), title=mark)
    book.save()
    book.delete()


def read(_):
    assert Tag.objects.count() + Book.objects.filter(title="UPDATE").count() >= 0


WAYS = {way.__name__: way for way in (
    plain, atomic, bulk, raw, savepoint, manual, rollback, after_commit, signal, read)}


@csrf_exempt
def write(request, way, mark):
    # Most views look who is there, before they write.
    if request.method == "POST":
        assert request.user.is_authenticated != mark.startswith(("nobody", "anyone"))
    try:
        WAYS[way](mark)
    except ValueError:
        return HttpResponse("rolled back")
    return HttpResponse("done")
