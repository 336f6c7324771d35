import uuid

from django.db import migrations, models


def key():
    return models.BigAutoField(primary_key=True)


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.CreateModel("Author", [("id", key()), ("name", models.CharField(max_length=60))]),
        migrations.CreateModel("Document", [
            ("id", models.UUIDField(primary_key=True, default=uuid.uuid4)),
            ("title", models.CharField(max_length=60))]),
        migrations.CreateModel("SavedBook", [
            ("id", key()), ("title", models.CharField(max_length=90))]),
        migrations.CreateModel("Tag", [("id", key()), ("name", models.CharField(max_length=60))]),
        migrations.CreateModel("Book", [
            ("id", key()), ("title", models.CharField(max_length=60)),
            ("price", models.DecimalField(max_digits=8, decimal_places=2, default=1)),
            ("internal_note", models.CharField(max_length=60, blank=True)),
            ("author", models.ForeignKey("shop.author", models.CASCADE)),
            ("tags", models.ManyToManyField("shop.tag", blank=True))]),
    ]
