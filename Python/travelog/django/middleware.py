"""The middleware that names the user of a request as the author of its transactions."""
from __future__ import annotations

from typing import Any, Callable

from django.http import HttpRequest, HttpResponseBase

from ..brackets import Description
from .transactions import described


class Middleware:
    """The first middleware of a site. Only requests that write get a bracket.

    A login changes the user during a request, so each transaction has the user at the time of its
    first writing statement. Without a user, the history has only the request.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # The query of an address can contain secrets.
        text = f"{request.method} {request.path}"
        with described(lambda: Description(self.author(request), request=text)):
            return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        """Reads the user before a transaction begins, which then has its lock for less time."""
        if request.method not in ("GET", "HEAD", "OPTIONS", "TRACE"):
            self.author(request)

    def author(self, request: HttpRequest) -> str:
        """The author of what a request writes; a subclass can name another one."""
        user = getattr(request, "user", None)
        return user.get_username() if user is not None and user.is_authenticated else ""
