"""Names the author of changes of a SQLite database, and reads the history that Travelog keeps.

`travelog.django` and `travelog.sqlalchemy` do this for these frameworks. Nothing here needs another
package, except the frames of `read`.
"""
from .brackets import NotAdopted, author
from .program import ProgramError
from .reading import Change, Changes, read
from .values import Large, Reference, Unknown

__version__ = "0.1.0"
__all__ = ["Change", "Changes", "Large", "NotAdopted", "ProgramError", "Reference", "Unknown",
           "author", "read"]
