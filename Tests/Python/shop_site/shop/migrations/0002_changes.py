from django.db import migrations, models


def change(apps, schema_editor):
    apps.get_model("shop", "Tag").objects.filter(name__startswith="one").update(name="migrated")


class Migration(migrations.Migration):
    """Changes rows, and a column for which Django creates the table again."""
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.RunPython(change, migrations.RunPython.noop),
        migrations.AlterField("book", "title", models.CharField(max_length=80)),
    ]
