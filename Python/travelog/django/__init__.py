"""Names the author of each transaction of a Django site, and shows the history in its admin.

docs/PYTHON.md says what to add to the settings.
"""
from .transactions import Middleware, author

__all__ = ["Middleware", "author"]
