#!/usr/bin/env python3
"""Lets Chromium write to its adopted databases: history, cookies, passwords, forms, icons and others.

    with_chromium.py TRAVELOG FOLDER

Chromium switches triggers off, so no change is captured. The commands that read all rows must find
this, and an export must record the rows.
"""
import concurrent.futures, json, os, shutil, signal, subprocess, time, urllib.error, urllib.request

import adopted, pages


class Driver:
    """The protocol of chromedriver: JSON over HTTP."""

    def __init__(self, profile, log):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=log, text=True,
                                        start_new_session=True, env=adopted.environment({"HOME": profile.parent}))
        for line in self.process.stdout:
            if "started successfully on port" in line:
                self.address = "http://127.0.0.1:" + line.split()[-1].rstrip(".")
                break
        else:
            raise SystemExit("chromedriver did not start")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
                     "--password-store=basic"]
        # The driver itself disables what a user has.
        options = {"binary": shutil.which("chromium"), "args": arguments,
                   "excludeSwitches": ["enable-automation", "disable-sync"]}
        self.session = None
        self.session = self.send("POST", "", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options}}})["sessionId"]

    def send(self, method, path, values=None):
        address = self.address + "/session" + (f"/{self.session}" if self.session else "") + path
        data = None if values is None else json.dumps(values).encode()
        request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"chromedriver refused {method} {path}: {error.read().decode()[:500]}") from None

    def go(self, address):
        self.send("POST", "/url", {"url": address})

    def element(self, selector):
        return next(iter(self.send("POST", "/element", {"using": "css selector", "value": selector}).values()))

    def type(self, selector, text):
        self.send("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def click(self, selector):
        self.send("POST", f"/element/{self.element(selector)}/click", {})

    def quit(self):
        # Closing the last window ends Chromium like a user does.
        self.send("DELETE", "/window")
        self.session = None


class Chromium:
    def __init__(self, profile):
        self.profile = profile

    def is_running(self):
        """Whether a process of Chromium still uses the profile."""
        return os.path.lexists(self.profile / "SingletonLock")

    def session(self, use, address):
        """Runs Chromium while a function uses it, and waits until it has ended."""
        with open(self.profile.parent / "chromium.log", "a") as log:
            driver = Driver(self.profile, log)
            try:
                answer = use(driver, address)
                # Chromium writes cookies and visits some seconds later, or when it ends.
                driver.quit()
                for _ in range(600):
                    if not self.is_running():
                        return answer
                    time.sleep(0.1)
                raise SystemExit("Chromium did not end")
            finally:
                os.killpg(driver.process.pid, signal.SIGKILL)
                driver.process.wait()


def work(browser, address, round):
    for number in range(4):
        browser.go(f"{address}/round/{round}/{number}")
    browser.click("#next")
    browser.type("#user", f"user {round}")
    browser.type("#word", "word")
    browser.click("#send")
    for number in range(3):
        browser.go(f"{address}/again/{number}")


def check(travelog, folder):
    chromium, files = Chromium(folder / "profile"), {}
    with pages.serving() as address:
        chromium.session(lambda browser, address: work(browser, address, 0), address)
        for path in adopted.databases(chromium.profile):
            name = str(path.relative_to(chromium.profile))
            files[name] = adopted.Adopted(travelog, path, folder / "history" / name)
        assert {"Default/" + name for name in ("History", "Cookies", "Login Data", "Web Data")} <= files.keys(), files

        def contents(file):
            return {table: adopted.contents(file.path, table) for table in adopted.tables(file.path)}

        def run(browser, address, round):
            work(browser, address, round)
            # Chromium keeps a lock on some of its files. Each command waits ten seconds.
            with concurrent.futures.ThreadPoolExecutor(len(files)) as pool:
                return sum(pool.map(adopted.Adopted.is_locked_for_good, files.values()))

        missed = 0
        for round in (1, 2):
            before = {name: contents(file) for name, file in files.items()}
            kept = chromium.session(lambda browser, address: run(browser, address, round), address)
            for name, file in files.items():
                now = contents(file)
                changed = sorted(table for table in now if now[table] != before[name].get(table))
                missed += file.compare_uncaptured(f"session {round}", changed)
            assert files["Default/History"].differing(), "the history of Chromium did not change"
    history = files["Default/History"]
    assert adopted.rows(history.path, "SELECT 1 FROM urls WHERE url LIKE '%/round/2/3'"), "there is no visit"
    # Chromium must be able to use a file again that has no history any more.
    history.detach()
    with pages.serving() as address:
        chromium.session(lambda browser, address: work(browser, address, 3), address)
    assert adopted.rows(history.path, "SELECT 1 FROM urls WHERE url LIKE '%/round/3/3'"), "there is no visit"
    return f"{len(files)} files agree; {missed} tables had changes without triggers; Chromium kept {kept} files locked"


if __name__ == "__main__":
    adopted.main(check)
