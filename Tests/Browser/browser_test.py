#!/usr/bin/env python3
"""Opens a report in headless Chromium: search, a row, dark mode, paper.

Usage: browser_test.py TRAVELOG STORE FOLDER

TRAVELOG is the program, STORE the store of the report, FOLDER the folder for the pictures. The test
uses Chromium's debugging protocol and only the standard library.
"""

import base64
import hashlib
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time


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
            if os.path.exists(port_file) and open(port_file).read().count("\n") >= 1:
                break
            time.sleep(0.1)
        port, path = open(port_file).read().split("\n")[:2]
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout=60)
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

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    program, store, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    page = os.path.join(os.path.abspath(folder), "report.html")
    subprocess.run([program, "report", store, "--output", page, "--office-hours", "8-18"], check=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "there is no chromium; make browser-test installs it"
    browser = Browser(chromium)
    try:
        browser.ask("Emulation.setDeviceMetricsOverride", width=1200, height=900,
                    deviceScaleFactor=1, mobile=False)
        browser.ask("Page.navigate", url="file://" + page)
        for _ in range(100):
            if browser.run("document.readyState") == "complete":
                break
            time.sleep(0.1)
        rows = browser.run("document.querySelectorAll('#transactions tbody tr').length")
        assert rows > 0
        assert browser.run("!document.getElementById('tools').hidden"), "the script did not run"
        browser.picture(os.path.join(folder, "light.png"))

        # Search: only rows with the word are shown, and the status has their number.
        word = browser.run(
            "document.querySelector('#transactions tbody tr:last-child th').textContent")
        browser.run(
            "(function () { var s = document.getElementById('search'); s.value = " + json.dumps(word)
            + "; s.dispatchEvent(new Event('input')); })()")
        time.sleep(0.5)
        left = browser.run("document.querySelectorAll('#transactions tbody tr:not([hidden])').length")
        assert 0 < left <= rows, left
        assert str(left) in browser.run("document.getElementById('status').textContent")
        browser.run(
            "(function () { var s = document.getElementById('search'); s.value = ''; "
            "s.dispatchEvent(new Event('input')); })()")
        time.sleep(0.5)

        # A row opens by the keyboard.
        browser.run("document.querySelector('#transactions summary').focus()")
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter",
                        windowsVirtualKeyCode=13, text="\r" if kind == "keyDown" else "")
        assert browser.run("document.querySelector('#transactions details').open"), "Enter opens a row"
        browser.run("document.querySelector('#transactions details').scrollIntoView()")
        browser.picture(os.path.join(folder, "open.png"))
        browser.run("scrollTo(0, 0)")

        # The skip link is the first element that the keyboard reaches.
        browser.run("document.activeElement.blur(); getSelection().removeAllRanges()")
        assert browser.run("document.querySelector('a, button, input, summary').className") == "skip"

        light = browser.run("getComputedStyle(document.body).backgroundColor")
        browser.ask("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-color-scheme", "value": "dark"}])
        dark = browser.run("getComputedStyle(document.body).backgroundColor")
        assert light != dark, (light, dark)
        browser.picture(os.path.join(folder, "dark.png"))
        browser.ask("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-color-scheme", "value": "light"}])

        browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=800,
                    deviceScaleFactor=1, mobile=True)
        wide = browser.run("document.documentElement.scrollWidth")
        assert wide <= 400, f"on a narrow screen the page is {wide} wide"
        browser.picture(os.path.join(folder, "narrow.png"))
        # No table is cut off.
        assert browser.run(
            "Array.from(document.querySelectorAll('.wide')).every(function (box) "
            "{ return box.scrollWidth <= box.clientWidth; })")
        browser.run("document.getElementById('transactions').scrollIntoView()")
        browser.picture(os.path.join(folder, "narrow-table.png"))
        browser.run("scrollTo(0, 0)")
        browser.ask("Emulation.setDeviceMetricsOverride", width=1200, height=900,
                    deviceScaleFactor=1, mobile=False)

        paper = browser.ask("Page.printToPDF", printBackground=False)
        with open(os.path.join(folder, "report.pdf"), "wb") as file:
            file.write(base64.b64decode(paper["data"]))
        browser.ask("Emulation.setEmulatedMedia", media="print")
        browser.picture(os.path.join(folder, "print.png"))
        browser.run("document.querySelector('#activity').scrollIntoView()")
        browser.picture(os.path.join(folder, "print-activity.png"))
        browser.run("scrollTo(0, 0)")

        # Every picture has a name, every table its headers, and every input its label.
        assert browser.run(
            "Array.from(document.querySelectorAll('th')).every(function (h) "
            "{ return h.hasAttribute('scope'); })")
        assert browser.run(
            "Array.from(document.querySelectorAll('svg')).every(function (s) "
            "{ return s.getAttribute('aria-hidden') || s.getAttribute('aria-label'); })")
        assert browser.run(
            "Array.from(document.querySelectorAll('input')).every(function (i) "
            "{ return i.labels.length; })")

        fetched = {
            m["params"]["request"]["url"].split("#")[0] for m in browser.messages
            if m.get("method") == "Network.requestWillBeSent"
        }
        assert all(url.startswith(("file://" + page, "about:")) for url in fetched), fetched
        wrong = [m for m in browser.messages
                 if m.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
        assert not wrong, wrong
    finally:
        browser.close()
    print(f"the report works in Chromium; pictures are in {folder}")


main()
