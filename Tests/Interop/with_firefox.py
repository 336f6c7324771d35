#!/usr/bin/env python3
"""Lets Firefox write to its adopted databases: history, bookmarks, cookies, forms, icons and others.

    with_firefox.py TRAVELOG FOLDER

The databases are adopted while Firefox is closed. Firefox is driven by Marionette, its own protocol.
"""
import concurrent.futures, json, os, signal, socket, subprocess, time

import adopted, pages

PREFERENCES = """
user_pref("marionette.port", {port});
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("services.settings.server", "http://127.0.0.1:9");
user_pref("browser.startup.page", 0);
user_pref("toolkit.startup.max_resumed_crashes", -1);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""
# Code of the browser itself: bookmarks, visits, the history of forms, and permissions.
WORK = """
const [address, round, done] = arguments;
(async () => {
  const {PlacesUtils} = ChromeUtils.importESModule("resource://gre/modules/PlacesUtils.sys.mjs");
  const {FormHistory} = ChromeUtils.importESModule("resource://gre/modules/FormHistory.sys.mjs");
  const {bookmarks, history, tagging} = PlacesUtils;
  const folder = await bookmarks.insert({parentGuid: bookmarks.toolbarGuid, title: "Folder " + round,
    type: bookmarks.TYPE_FOLDER});
  const made = [];
  for (let index = 0; index < 8; index++)
    made.push(await bookmarks.insert({parentGuid: folder.guid, title: "Bookmark " + index,
      url: `${address}/bookmark/${round}/${index}`}));
  await bookmarks.update({guid: made[0].guid, title: "Renamed ä書", url: address + "/renamed/" + round});
  await bookmarks.update({guid: made[1].guid, parentGuid: bookmarks.menuGuid, index: 0});
  await bookmarks.remove(made[2].guid);
  await bookmarks.reorder(folder.guid, made.slice(3).reverse().map(each => each.guid));
  PlacesUtils.tagging.tagURI(Services.io.newURI(`${address}/bookmark/${round}/4`), ["tag " + round]);
  await PlacesUtils.keywords.insert({keyword: "key" + round, url: `${address}/bookmark/${round}/5`});
  await history.insertMany([...Array(200).keys()].map(index => ({
    url: `${address}/many/${index % 150}?${round}`, title: "Many " + index,
    visits: [{date: new Date(Date.now() - index * 60000)}, {}]})));
  await history.remove([`${address}/many/3?${round}`, `${address}/many/4?${round}`]);
  await history.removeByFilter({
    beginDate: new Date(Date.now() - 140 * 60000), endDate: new Date(Date.now() - 130 * 60000)});
  await history.update({url: `${address}/many/7?${round}`, annotations: new Map([["note", "value " + round]])});
  await FormHistory.update([...Array(10).keys()].map(index =>
    ({op: "add", fieldname: "user", value: `name ${round} ${index}`})));
  await FormHistory.update({op: "bump", fieldname: "user", value: `name ${round} 1`});
  await FormHistory.update({op: "remove", fieldname: "user", value: `name ${round} 2`});
  const origin = Services.scriptSecurityManager.createContentPrincipalFromOrigin(address);
  Services.perms.addFromPrincipal(origin, "geo", 1 + round % 2);
  return made.length;
})().then(done, error => done(String(error)));
"""


class Marionette:
    """Firefox's own protocol: the length of a message, a colon, and an array as JSON."""

    def __init__(self, port):
        for _ in range(600):
            try:
                self.connection = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                time.sleep(0.1)
        self.file, self.number = self.connection.makefile("rb"), 0
        self.receive()
        self.send("WebDriver:NewSession", {"capabilities": {}})

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.file.read(1)
            if not byte:
                raise SystemExit("Firefox closed the connection")
            length += byte
        return json.loads(self.file.read(int(length[:-1])))

    def send(self, command, values={}):
        self.number += 1
        text = json.dumps([0, self.number, command, values]).encode()
        self.connection.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self.receive()
        assert number == self.number
        if error:
            raise SystemExit(f"Firefox refused {command}: {error['error']}: {error['message']}")
        return result

    def go(self, address):
        self.send("WebDriver:Navigate", {"url": address})

    def element(self, selector):
        found = self.send("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        return next(iter(found.values()))

    def type(self, selector, text):
        self.send("WebDriver:ElementSendKeys", {"id": self.element(selector), "text": text})

    def click(self, selector):
        self.send("WebDriver:ElementClick", {"id": self.element(selector)})

    def run(self, script, *arguments):
        self.send("Marionette:SetContext", {"value": "chrome"})
        result = self.send("WebDriver:ExecuteAsyncScript",
                           {"script": script, "args": arguments, "scriptTimeout": 120_000})["value"]
        self.send("Marionette:SetContext", {"value": "content"})
        return result

    def quit(self):
        self.send("Marionette:Quit", {"flags": ["eForceQuit"]})
        self.connection.close()


class Firefox:
    def __init__(self, profile):
        self.profile = profile
        profile.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (profile / "user.js").write_text(PREFERENCES.format(port=self.port))

    def session(self, use, address):
        """Runs Firefox while a function uses it, and waits until it has ended."""
        command = ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
                   "--profile", self.profile]
        with open(self.profile.parent / "firefox.log", "a") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True,
                                       env=adopted.environment({"HOME": self.profile.parent}))
        try:
            browser = Marionette(self.port)
            answer = use(browser, address)
            browser.quit()
            process.wait(timeout=60)
            return answer
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def work(browser, address, round):
    for number in range(4):
        browser.go(f"{address}/round/{round}/{number}")
    browser.click("#next")
    browser.type("#user", f"user {round}")
    browser.type("#word", "word")
    browser.click("#send")
    answer = browser.run(WORK, address, round)
    assert answer == 8, answer


def check(travelog, folder):
    firefox = Firefox(folder / "profile")
    with pages.serving() as address:
        firefox.session(lambda browser, address: work(browser, address, 0), address)
        paths = [path for path in adopted.databases(firefox.profile) if adopted.tables(path)]
        files = {path.name: adopted.Adopted(travelog, path, folder / "history" / path.name) for path in paths}
        busy = ["places.sqlite", "cookies.sqlite", "favicons.sqlite", "formhistory.sqlite"]
        assert set(busy) <= files.keys(), files

        def locked(browser, address):
            """Firefox keeps a lock on some of its files; a command must say so."""
            work(browser, address, 1)
            # Each command waits ten seconds.
            with concurrent.futures.ThreadPoolExecutor(len(files)) as pool:
                answers = pool.map(adopted.Adopted.is_locked_for_good, files.values())
            found = [name for name, is_locked in zip(files, answers) if is_locked]
            # If Firefox could not lock a file when it opened it, it keeps no lock on this file.
            assert found, "Firefox keeps no lock on a file"
            return len(found)

        kept = firefox.session(locked, address)
        for name in busy:
            files[name].compare("the first session")
        for round in (2, 3):
            firefox.session(lambda browser, address: work(browser, address, round), address)
        for file in files.values():
            file.compare("three sessions")
    transactions = {name: len(file.history()) for name, file in files.items()}
    places = files["places.sqlite"]
    assert transactions["places.sqlite"] > 50, transactions
    for file in files.values():
        differing = [each for each in file.differing() if "captured" in each["details"]]
        assert not differing, (file.path.name, differing)
    places.detach()
    return f"{len(files)} files and {sum(transactions.values())} transactions agree; Firefox kept {kept} of them locked"


if __name__ == "__main__":
    adopted.main(check)
