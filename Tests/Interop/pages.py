"""A small site on the loopback interface, for browsers."""
import contextlib, http.server, threading, urllib.parse


class Page(http.server.BaseHTTPRequestHandler):
    """Each page sets cookies, names the next page, and has a form with a password."""

    def do_GET(self):
        body = self.page().encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        name = urllib.parse.quote(self.path.strip("/").split("?")[0] or "start", safe="")
        self.send_header("Set-Cookie", f"visited-{name[:20]}=yes; Max-Age=86400")
        self.send_header("Set-Cookie", f"last={name}; Max-Age=86400; Path=/")
        self.end_headers()
        # A browser closes the connection if it no longer needs the page.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(303)
        self.send_header("Location", "/sent")
        self.end_headers()

    def page(self):
        return f"""<!doctype html><title>Page {self.path} — ä書</title><h1>{self.path}</h1>
            <a id="next" href="/next?{self.path.strip('/')}">next</a>
            <form method="post" action="/form"><input id="user" name="user">
            <input id="word" name="word"><input id="send" type="submit"></form>"""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving():
    """The address of the site, while it runs."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
