from django.db.models.signals import post_save
from django.dispatch import receiver

from .models import Book, SavedBook


@receiver(post_save, sender=Book)
def saved(instance, **_):
    SavedBook.objects.create(title=f"saved {instance.title}")
