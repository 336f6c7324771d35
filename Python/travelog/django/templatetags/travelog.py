"""The tag of the admin's page with the history of an object."""
from django import template

from ..history import page_history

register = template.Library()
register.simple_tag(page_history, takes_context=True, name="travelog_history")
