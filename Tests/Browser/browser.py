"""Drives a headless Chromium by its debugging protocol, with only the standard library."""

import base64
import hashlib
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path


class Browser:
    """A headless Chromium."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="travelog-browser-")
        self.process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--remote-debugging-port=0",
                f"--user-data-dir={self.folder}", "about:blank",
            ],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        port_file = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(300):
            if os.path.exists(port_file) and Path(port_file).read_text().count("\n") >= 1:
                break
            time.sleep(0.1)
        port, path = Path(port_file).read_text().split("\n")[:2]
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=180)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        assert base64.b64encode(accept) in head, head
        self.number = 0
        self.messages = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def send(self, text):
        data = text.encode()
        mask = secrets.token_bytes(4)
        head = struct.pack("!BBQ", 0x81, 0x80 | 127, len(data)) + mask
        self.socket.sendall(head + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "Chromium went away"
            data += part
        return bytes(data)

    def receive(self):
        data = b""
        while True:
            first, second = self.exactly(2)
            size = second & 127
            if size == 126:
                size = struct.unpack("!H", self.exactly(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.exactly(8))[0]
            data += self.exactly(size)
            if first & 0x80:
                return json.loads(data)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.send(json.dumps(message))
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.messages.append(answer)

    def run(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path, whole=False):
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def resize(self, width, height, mobile=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=mobile)

    def media(self, scheme="light", media=""):
        # Without motion a scrolled page is at its place at once.
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": scheme},
                           {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, path, fragment="", wait="document.documentElement.classList.contains('loaded')"):
        """Opens a file, and waits until its script has read everything; returns the seconds."""
        self.ask("Page.navigate", url="about:blank")
        self.wait("document.readyState === 'complete' && location.href === 'about:blank'")
        start = time.monotonic()
        self.ask("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        self.wait("location.protocol === 'file:' && document.readyState === 'complete' && " + wait)
        return time.monotonic() - start

    def processor(self):
        """The processor seconds of each process that draws pages, by its id; the time of a busy machine says less."""
        session, self.session = self.session, None
        found = self.ask("SystemInfo.getProcessInfo")["processInfo"]
        self.session = session
        return {process["id"]: process["cpuTime"] for process in found if process["type"] == "renderer"}

    def opened(self, path):
        """Opens a file; returns the seconds and the processor seconds that it took."""
        before = self.processor()
        seconds = self.open(path)
        return seconds, sum(spent - before.get(number, 0) for number, spent in self.processor().items())

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run("Boolean(" + condition + ")"):
                return
            time.sleep(0.03)
        raise AssertionError("never true: " + condition)

    def key(self, key, text=None, code=None):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "/": 191}
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                     windowsVirtualKeyCode=codes.get(key, 0), **more)

    def enter(self, selector, value):
        """Gives a field a value as a user does."""
        self.run(
            "(function () { var field = document.querySelector(%s); field.value = %s;"
            " field.dispatchEvent(new Event('input', { bubbles: true }));"
            " field.dispatchEvent(new Event('change', { bubbles: true })); })()"
            % (json.dumps(selector), json.dumps(value)))

    def click(self, selector):
        self.run("document.querySelector(%s).click()" % json.dumps(selector))

    def text(self, selector):
        return self.run("document.querySelector(%s).textContent" % json.dumps(selector))

    def count(self, selector):
        return self.run("document.querySelectorAll(%s).length" % json.dumps(selector))

    def paper(self, path):
        paper = self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(paper["data"]))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
