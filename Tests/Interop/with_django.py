#!/usr/bin/env python3
"""Lets a site with Django's admin write to an adopted file, and migrate it.

    with_django.py TRAVELOG FOLDER

The site runs as a server, and its pages are used like a browser does: two users log in, add, change
and delete objects, and log out.
"""
import concurrent.futures, html.parser, http.cookiejar, re, socket, subprocess, sys, time
import urllib.error, urllib.parse, urllib.request

import adopted

MODELS = """
from django.db import models
class Tag(models.Model):
    name = models.SlugField(unique=True)
    def __str__(self): return self.name
class {author}(models.Model):
    {name} = models.CharField(max_length=40, unique=True)
    born = models.DateField(null=True, blank=True)
    def __str__(self): return self.{name}
class Book(models.Model):
    author = models.ForeignKey({author}, on_delete=models.CASCADE)
    title = models.CharField(max_length={length})
    price = models.DecimalField(max_digits=8, decimal_places=2)
    sold = models.DateTimeField(null=True, blank=True)
    tags = models.ManyToManyField(Tag, blank=True)
    {more}
    def __str__(self): return self.title
"""
ADMIN = """
from django.contrib import admin
from shop.models import {author}, Book, Tag
class Books(admin.TabularInline):
    model = Book
    extra = 2
@admin.register({author})
class Authors(admin.ModelAdmin):
    inlines = [Books]
@admin.register(Book)
class BookList(admin.ModelAdmin):
    list_display = ["id", "title", "price"]
    list_editable = ["price"]
admin.site.register(Tag)
"""
SETTINGS = """
import os
SECRET_KEY = "test"
ROOT_URLCONF = "urls"
DEBUG = True
INSTALLED_APPS = ["django.contrib." + name for name in
    ["admin", "auth", "contenttypes", "sessions", "messages"]] + ["shop"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
    "OPTIONS": {"context_processors": ["django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth", "django.contrib.messages.context_processors.messages"]}}]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"],
    "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"}}}
# The usual hash of a password takes a quarter of a second.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
USE_TZ = True
"""
URLS = """
from django.contrib import admin
from django.urls import path
urlpatterns = [path("admin/", admin.site.urls)]
"""
# The writer of a site adds such migrations by hand.
OWN_MIGRATION = """
from django.db import migrations, models
def change(apps, schema_editor):
    Book = apps.get_model("shop", "Book")
    Book.objects.filter(title__startswith="First").update(price="99.99")
    Book.objects.filter(title__startswith="Second").delete()
    Book.objects.create(author=apps.get_model("shop", "Author").objects.order_by("id")[0], title="Migrated", price=1)
class Migration(migrations.Migration):
    dependencies = [("shop", "{last}")]
    operations = [{operations}]
"""
CHANGES = """
    migrations.RunPython(change, migrations.RunPython.noop),
    migrations.RenameField("author", "name", "full_name"),
    migrations.AlterField("book", "title", models.CharField(max_length=50)),
"""


class Form(html.parser.HTMLParser):
    """The fields of a page's forms, with their values."""

    def __init__(self, text):
        super().__init__()
        self.fields, self.name = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        name, value = attributes.get("name"), attributes.get("value") or ""
        if tag == "input" and name:
            kind = attributes.get("type")
            if kind not in ("submit", "checkbox", "radio", "file") or "checked" in attributes:
                self.fields[name] = value
        elif tag in ("select", "textarea"):
            self.name = name
            self.fields[name] = "" if tag == "textarea" else []
        elif tag == "option" and "selected" in attributes and self.name:
            self.fields[self.name].append(value)

    def handle_endtag(self, tag):
        if tag in ("select", "textarea"):
            self.name = None

    def handle_data(self, data):
        # A browser leaves out the line break at the beginning.
        if self.name and isinstance(self.fields[self.name], str):
            self.fields[self.name] += data.removeprefix("\n")


class Browser:
    """A user of the site's pages, with cookies."""

    def __init__(self, address, user):
        self.address = address
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.submit("/admin/login/?next=/admin/", username=user, password="secret")

    def page(self, path, values=None):
        data = None if values is None else urllib.parse.urlencode(values, doseq=True).encode()
        with self.opener.open(self.address + path, data, timeout=60) as answer:
            return answer.geturl(), answer.read().decode()

    def submit(self, path, **values):
        """Fills out the form of a page; the site must then show another page."""
        _, text = self.page(path)
        place, text = self.page(path, Form(text).fields | values)
        if place == self.address + path and "errorlist" in text:
            errors = re.findall(r'<ul class="errorlist.*?</ul>', text, re.S)
            raise SystemExit(f"{path} with {values} was not accepted: {errors}")

    def submit_all(self, path, action, numbers):
        """Runs an action on rows of a list, and confirms it."""
        _, text = self.page(path)
        token = Form(text).fields["csrfmiddlewaretoken"]
        self.page(path, {"csrfmiddlewaretoken": token, "action": action, "_selected_action": numbers,
                         "post": "yes"})


class Site:
    def __init__(self, folder, database):
        self.folder, self.database = folder, database
        (folder / "shop").mkdir(parents=True)
        (folder / "shop" / "__init__.py").touch()
        (folder / "settings.py").write_text(SETTINGS)
        (folder / "urls.py").write_text(URLS)
        self.variables = {"PYTHONPATH": folder, "DJANGO_SETTINGS_MODULE": "settings", "DATABASE": database}
        self.prefix = (sys.executable, "-m", "django")

    def define(self, author="Author", name="name", length=20, more=""):
        """Writes the models and their admin."""
        text = MODELS.format(author=author, name=name, length=length, more=more)
        (self.folder / "shop" / "models.py").write_text(text)
        (self.folder / "shop" / "admin.py").write_text(ADMIN.format(author=author))

    def add_migration(self, name, operations):
        folder = self.folder / "shop" / "migrations"
        last = max(path.stem for path in folder.glob("0*.py"))
        (folder / f"{name}.py").write_text(OWN_MIGRATION.format(last=last, operations=operations))

    def django(self, *words, **more):
        return adopted.run(*self.prefix, *words, **self.variables | more)

    def check(self, path):
        """Django must find that the tables of a file are those of the models."""
        self.django("check", "--database", "default", DATABASE=path)
        self.django("migrate", "--check", DATABASE=path)
        self.django("makemigrations", "--check", "--dry-run", DATABASE=path)

    def serve(self, use):
        """Runs the site's server while a function uses it."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        with open(self.folder / "server.log", "a") as log:
            server = subprocess.Popen(
                [*self.prefix, "runserver", "--noreload", f"127.0.0.1:{port}"], stdout=log, stderr=log,
                env=adopted.environment(self.variables))
            try:
                for _ in range(200):
                    try:
                        urllib.request.urlopen(address + "/admin/login/", timeout=60).close()
                        break
                    except urllib.error.URLError:
                        time.sleep(0.1)
                return use(address)
            finally:
                server.terminate()
                server.wait()


def use_admin(address, user, round):
    """What one user does in the admin."""
    browser = Browser(address, user)
    add, author = "/admin/shop/author/add/", f"{user} {round}"
    browser.submit("/admin/shop/tag/add/", name=f"{user}-{round}")
    browser.submit(add, name=author, born="1975-02-03", **{
        "book_set-0-title": f"First of {author}", "book_set-0-price": "7.50",
        "book_set-1-title": f"Second of {author}", "book_set-1-price": "8"})
    browser.submit(add, name=f"Nobody {author}")
    return browser


def check(travelog, folder):
    database = folder / "db.sqlite3"
    site = Site(folder / "site", database)
    site.define()
    site.django("makemigrations", "shop")
    site.django("migrate")
    for name in ("ada", "eve"):
        site.django("createsuperuser", "--noinput", "--username", name, "--email", f"{name}@example.org",
                    DJANGO_SUPERUSER_PASSWORD="secret")
    file = adopted.Adopted(travelog, database, folder / "history")
    site.check(database)

    def numbers(table, condition="1"):
        return [number for (number,) in adopted.rows(database, f"SELECT id FROM {table} WHERE {condition} ORDER BY id")]

    def first(address):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            users = list(pool.map(lambda pair: use_admin(address, *pair),
                                  [(user, round) for user in ("ada", "eve") for round in (1, 2)]))
        browser = users[0]
        author, tag = numbers("shop_author")[0], numbers("shop_tag")
        browser.submit(f"/admin/shop/author/{author}/change/", born="1980-12-31")
        # A book that the actions below do not delete.
        book = numbers("shop_book", "title = 'First of ada 1'")[0]
        browser.submit(f"/admin/shop/book/{book}/change/", title="Ünï 書 changed", tags=tag[:2])
        browser.submit(f"/admin/shop/book/{book}/change/", tags=tag[1:2])
        nobody = numbers("shop_author", "name LIKE 'Nobody%'")
        browser.submit(f"/admin/shop/author/{nobody[0]}/delete/", post="yes")
        browser.submit_all("/admin/shop/author/", "delete_selected", nobody[1:3])
        browser.submit_all("/admin/shop/author/", "delete_selected", numbers("shop_author", "name = 'eve 2'"))
        browser.submit(f"/admin/auth/user/{numbers('auth_user')[1]}/password/",
                       password1="new-secret-7", password2="new-secret-7", usable_password="true")
        users[1].submit("/admin/auth/group/add/", name="clerks", permissions=["1", "2", "3"])
        token = Form(browser.page("/admin/")[1]).fields["csrfmiddlewaretoken"]
        browser.page("/admin/logout/", {"csrfmiddlewaretoken": token})

    site.serve(first)
    assert len(numbers("shop_author", "name LIKE 'Nobody%'")) == 1, "the admin did not delete the authors"
    assert adopted.rows(database, "SELECT count(*) FROM django_admin_log")[0][0] > 15
    assert adopted.rows(database, "SELECT count(*) FROM django_session")[0][0] > 2
    file.compare("the work in the admin")
    assert not file.differing(), file.differing()

    # A new length makes Django create the table again.
    tables = ("shop_author", "shop_book", "shop_tag", "shop_book_tags", "auth_user", "django_admin_log")
    origins = {table: file.origins(table) for table in tables}

    def migrate(label, tables_named={}, columns_named={}):
        site.django("makemigrations", "shop", "--noinput")
        file.suspend(*site.prefix, "migrate", **site.variables)
        file.compare(label)
        site.check(database)
        site.check(file.folder / "replica.db")
        return sum(file.compare_origins(tables_named.get(table, table), origins[table], columns_named.get(table, {}))
                   for table in tables)

    more = 'pages = models.IntegerField(default=0); note = models.TextField(default="none")'
    site.define(length=30, more=more)
    same = migrate("a migration that rebuilds a table")

    def second(address):
        browser = Browser(address, "ada")
        browser.submit(f"/admin/shop/book/{numbers('shop_book')[0]}/change/", pages="300")
        browser.submit("/admin/shop/author/add/", name="Late", **{
            "book_set-0-title": "Of a late author", "book_set-0-price": "3", "book_set-0-pages": "12"})

    site.serve(second)
    file.compare("the work after the migration")
    origins = {table: file.origins(table) for table in tables}
    site.define("Author", "full_name", 50, more)
    site.add_migration("0003_changes", CHANGES)
    same += migrate("a migration of values and of a column's name", {}, {"shop_author": {"name": "full_name"}})
    origins = {table: file.origins(table) for table in tables}
    site.define("Writer", "full_name", 50, more)
    site.add_migration("0004_writer", 'migrations.RenameModel("Author", "Writer")')
    same += migrate("a migration of a table's name", {"shop_author": "shop_writer"})

    def third(address):
        browser = Browser(address, "ada")
        browser.submit("/admin/shop/tag/add/", name="last")
        browser.submit_all("/admin/shop/book/", "delete_selected", numbers("shop_book", "title = 'Migrated'"))

    site.serve(third)
    file.compare("the work after the second migration")
    site.django("clearsessions")
    file.suspend(*site.prefix, "migrate", "shop", "0001", **site.variables)
    file.compare("the reversed migrations")
    # Without travelog, SQLite drops the triggers of the tables that Django creates again.
    site.django("migrate")
    file.compare("migrations that travelog did not run")
    site.django("migrate", "shop", "0001")
    site.define()
    site.django("shell", "-c", "from shop.models import *; Author.objects.all().delete(); Tag(name='x').save()")
    file.compare("the deletion of all authors")
    count = len(file.history())
    file.detach()
    return f"{count} transactions agree, and {same} values kept their origin in migrations"


if __name__ == "__main__":
    adopted.main(check)
