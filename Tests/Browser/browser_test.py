#!/usr/bin/env python3
"""Opens reports in headless Chromium, and uses them as an auditor does.

Usage: browser_test.py TRAVELOG TRIPS AXE FOLDER

TRAVELOG and TRIPS are the programs, AXE is axe.min.js, FOLDER the folder for stores, pages and pictures.
Each function whose name begins with `test_` is a test; its first line says what it proves.
"""

import base64
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

from browser import Browser

PHONE, DESK = (390, 844, True), (1280, 900, False)


class Reports:
    """The stores and pages of the tests."""

    def __init__(self, travelog, trips, axe, folder):
        self.travelog, self.trips, self.folder = travelog, trips, os.path.abspath(folder)
        self.axe = open(axe, encoding="utf-8").read()
        self.store = self.seed("sample.store", 5000)

    def path(self, name):
        return os.path.join(self.folder, name)

    def seed(self, name, changes, seed=7):
        path = self.path(name)
        subprocess.run([self.trips, "seed", path, "--changes", str(changes), "--seed", str(seed)], check=True)
        return path

    def report(self, name, source, *options):
        page = self.path(name)
        subprocess.run([self.travelog, "report", source, "--output", page, *options], check=True)
        assert os.path.getsize(page) <= 10_000_000
        return page

    def export(self, store, logs, *options):
        os.makedirs(self.path(logs), exist_ok=True)
        # A test may export a store that another test exported to another folder.
        begin = [] if os.listdir(self.path(logs)) else ["--new-folder"]
        subprocess.run([self.travelog, "export", store, "--to", self.path(logs), *begin, *options], check=True)
        return self.path(logs)

    def run(self, *words):
        return subprocess.run([self.travelog, *words], capture_output=True, text=True, check=False)


def head_of(page):
    """The report in a page, as the page's script reads it."""
    text = open(page, encoding="utf-8").read()
    data = re.search(r'id="head"[^>]*>([^<]*)<', text).group(1)
    return json.loads(gzip.decompress(base64.b64decode(data)))


def lines_of(page):
    """The lines of transactions in a page: facts and changes."""
    text = open(page, encoding="utf-8").read()
    for block in re.findall(r'class="block">([^<]*)<', text):
        for line in gzip.decompress(base64.b64decode(block)).decode().splitlines():
            facts, changes = line.split("\t")
            yield json.loads(facts), json.loads(changes)


def picture(browser, reports, name, whole=False):
    browser.picture(reports.path("pictures/" + name + ".png"), whole)


def accessible(browser, reports, what):
    """Fails if axe finds a violation of WCAG 2.2 A or AA."""
    browser.run(reports.axe + "; undefined")
    found = browser.run(
        "axe.run(document, { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } })"
        ".then(result => result.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.failureSummary).join(' | ')))")
    assert not found, what + ": " + "\n".join(found)


def settled(browser):
    browser.wait("!/Searching|reading/.test(document.getElementById('status').textContent)")


def rows(browser):
    """Scrolls to the list, whose rows are made then."""
    settled(browser)
    browser.run("document.getElementById('status').scrollIntoView()")
    browser.wait("document.querySelector('#results .row')")


def test_size(browser, reports):
    """A page of 5,000 changes is small, opens within a second, and has a few thousand elements."""
    page = reports.report("report.html", reports.store, "--office-hours", "8-18")
    assert os.path.getsize(page) < 1_000_000, os.path.getsize(page)
    seconds, processor = browser.opened(page)
    elements = browser.count("*")
    print(f"  {os.path.getsize(page)} bytes, {seconds:.2f} seconds, {processor:.2f} of processor, {elements} elements")
    assert elements < 6000, elements
    assert processor < 1, processor
    picture(browser, reports, "desk")
    picture(browser, reports, "desk-whole", whole=True)


def test_data_once(browser, reports):
    """The data is in the page once, compressed, and equals the answer with --json."""
    page = reports.path("report.html")
    text = open(page, encoding="utf-8").read()
    assert len(re.findall(r'id="head"', text)) == 1
    plain = re.search(r'<div id="plain">.*?</main>', text, re.S).group(0)
    assert len(plain.encode()) <= 300_000, len(plain)
    answer = json.loads(reports.run("report", reports.store, "--json", "--office-hours", "8-18").stdout)
    head = head_of(page)
    answer.pop("list")
    for report in (answer, head):
        report.pop("produced")
    assert answer == head, [key for key in head if head[key] != answer.get(key)]


def test_same_values(browser, reports):
    """The transactions in the page have the changes and values of log --patch --json."""
    def value(change, key):
        special = change.get(key + "_special") or change.get(key + "_large")
        if special or key not in change:
            return noted if special else {"!": "none"}
        # The page has the digits of a number that a double can't represent, and cuts long values.
        return change[key]

    # Replaces a value that has only a note; None is the value null.
    noted = object()
    expected = {}
    for line in reports.run("log", reports.store, "--patch", "--json").stdout.splitlines():
        transaction = json.loads(line)
        expected[transaction["transaction"]] = transaction["differences"]
    found = 0
    for facts, changes in lines_of(reports.path("report.html")):
        differences = expected.pop(facts[1])
        assert facts[8] == len(changes) == len(differences)
        for change, difference in zip(changes, differences):
            kind = ["insert", "update", "delete"].index(difference["op"])
            assert change[:4] == [kind, difference["entity"], difference["id"], difference.get("name")], change
            step = 3 if kind == 1 else 2
            assert change[4::step] == [one["name"] for one in difference["properties"]]
            for index, one in enumerate(difference["properties"]):
                sides = {0: ["after"], 1: ["before", "after"], 2: ["before"]}[kind]
                for place, side in enumerate(sides, 1):
                    wanted, shown = value(one, side), change[4 + index * step + place]
                    if wanted is noted:
                        assert shown["!"] in ("special", "erased"), shown
                    elif isinstance(shown, dict) and shown.get("!") == "number":
                        assert int(shown["text"]) == wanted
                    elif isinstance(shown, dict) and shown.get("!") == "cut":
                        assert len(wanted) > 2048 == len(shown["text"]) and wanted.startswith(shown["text"])
                    else:
                        assert shown == wanted, (shown, wanted)
                    found += 1
    assert not expected, list(expected)[:5]
    assert found > 5000, found


def test_trust(browser, reports):
    """With --head or --against, the first tile says up to which transaction the history is proven."""
    logs = reports.export(reports.store, "trust", "--until", "300")
    head = json.loads(reports.run("verify", logs, "--json").stdout)["to"]
    tiles = "Array.from(document.querySelectorAll('.tile')).map(t => [t.dataset.state, t.querySelector('.tile-answer').textContent])"
    reports.export(reports.store, "trust")

    def answers(source, *options):
        page = reports.report("trust.html", source, *options)
        browser.open(page)
        found = browser.run(tiles)
        return found[0], found[4], head_of(page)["histories"][0]

    integrity, _, history = answers(logs)
    assert integrity == ["good", "No alteration was found"] and history["verdict"] == "sound", integrity
    for source in (logs, reports.store):
        integrity, _, history = answers(source, "--head", head["digest"])
        assert integrity == ["good", "Proven up to transaction 300; the later ones are sound"], integrity
        assert history["proven_transaction"] == 300 and history["verdict"] == "proven", history
        picture(browser, reports, "proven")
        integrity, _, history = answers(source, "--head", "0" * 64)
        assert integrity == ["bad", "Something was altered or damaged"] and history["verdict"] == "damaged", integrity
        assert "0" * 64 in browser.text("#findings"), browser.text("#findings")
    integrity, end, history = answers(logs, "--against", reports.store)
    assert integrity == ["good", f"Proven up to transaction {history['head']}"], integrity
    assert end == ["good", "The store is exported completely"], end
    earlier = reports.export(reports.store, "earlier", "--until", "300")
    integrity, end, history = answers(earlier, "--against", reports.store)
    assert integrity == ["good", "Proven up to transaction 300"], integrity
    later = head_of(reports.path("report.html"))["transactions"] - 300
    assert end == ["attention", f"{later} transactions are not exported yet"], end
    accessible(browser, reports, "with proof")
    for options in (["--against", reports.store], ["--head", "0" * 63]):
        refused = reports.run("report", reports.store, "--output", reports.path("none.html"), *options)
        assert refused.returncode in (10, 64), refused


def test_adopted(browser, reports):
    """The report of an adopted file says table and row, not entity and object."""
    path = reports.path("shop.db")
    database = sqlite3.connect(path)
    database.executescript(
        "".join(f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY);" for number in range(25)) +
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT UNIQUE);"
        "CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, note TEXT);"
        "INSERT INTO customer VALUES (1, 'Ada'), (2, 'Grace');")
    database.close()
    assert reports.run("adopt", path).returncode == 0
    database = sqlite3.connect(path)
    database.executescript(
        "INSERT INTO purchase VALUES (1, 1, 'a book'); UPDATE purchase SET note = 'two books';")
    # A command ends the transaction. Otherwise it could also have the deletion, and no row would change.
    assert reports.run("log", path).returncode == 0
    database.executescript(
        "DELETE FROM purchase;" + "".join(f"INSERT INTO t{number} VALUES (1);" for number in range(25)))
    database.close()
    page = reports.report("shop.html", path)
    assert head_of(page)["is_adopted"]
    browser.open(page)
    rows(browser)
    browser.run("document.querySelectorAll('#results .row-head').forEach(b => b.click())")
    browser.run("document.querySelectorAll('summary').forEach(s => s.click())")
    text = browser.run("document.body.innerText")
    assert "Table" in text and "Row" in text and "Rows" in text and "two books" in text, text
    # The page shows twenty tables, and merges the others.
    assert "others, merged" in browser.text("#activity-details"), browser.text("#activity-details")
    plain = re.sub(r"<[^>]*>", " ", re.search(r'<div id="plain">.*?</main>', open(page, encoding="utf-8").read(), re.S).group(0))
    for shown in (text, plain):
        assert not re.search(r"\b(entit(y|ies)|objects?)\b", shown, re.I), re.findall(r".*\b(?:entit|object).*", shown, re.I)
    browser.run("location.hash = '#object=customer/1'")
    browser.wait("document.querySelector('.detail')")
    picture(browser, reports, "adopted")
    accessible(browser, reports, "an adopted file")


def test_first_screen(browser, reports):
    """The first screen has the answers, the figures, the head, the version, the time and the command."""
    browser.open(reports.path("report.html"))
    head = head_of(reports.path("report.html"))
    assert browser.count(".tile") == 5
    text = browser.text("#overview")
    assert head["histories"][0]["digest"] in text
    assert "travelog 0." in text and "--office-hours 8-18" in text
    figures = browser.run("Array.from(document.querySelectorAll('.figures dd')).map(d => d.textContent.replace(/\\D/g, ''))")
    assert figures[0] == str(head["transactions"]), figures
    assert figures[1] == str(sum(head["changes"].values())), figures
    assert browser.run("document.querySelector('#overview').getBoundingClientRect().top >= 0")


def test_files(browser, reports):
    """A report of logs lists the files with the digests that sha256sum computes."""
    reports.export(reports.store, "logs", "--until", "300")
    logs = reports.export(reports.store, "logs")
    page = reports.report("logs.html", logs)
    inputs = head_of(page)["inputs"]
    assert len(inputs) >= 2
    for file in inputs:
        sums = subprocess.run(["sha256sum", file["path"]], capture_output=True, text=True, check=True)
        assert sums.stdout.split()[0] == file["sha256"]
    browser.open(page)
    browser.run("Array.from(document.querySelectorAll('#overview summary')).find(s => s.textContent.startsWith('Sizes')).click()")
    browser.wait("document.querySelector('#overview').textContent.includes('%s')" % inputs[0]["sha256"])


def test_activity(browser, reports):
    """The time axis has every day; a zoom filters the chart, the findings and the list."""
    browser.open(reports.path("report.html"))
    settled(browser)
    head = head_of(reports.path("report.html"))
    before = browser.text("#status")
    day = head["days"][len(head["days"]) // 2]
    browser.enter("#day-from", day["day"])
    browser.enter("#day-to", day["day"])
    settled(browser)
    assert browser.text("#status") != before
    shown = browser.run("document.getElementById('status').textContent.replace(/[^\\d ]/g, '').trim().split(/ +/)[0]")
    assert int(shown) == day["transactions"], (shown, day)
    # A single day is shown by its hours.
    browser.run("document.querySelector('#activity details').open = true")
    browser.wait("document.querySelectorAll('#activity-card tbody tr').length === 24")
    total = browser.run(
        "Array.from(document.querySelectorAll('#activity-card tbody td:last-child')).reduce((a, c) => a + Number(c.textContent.replace(/\\D/g, '')), 0)")
    assert total == sum(day["changes"].values()), total
    picture(browser, reports, "zoom")
    browser.click("#zoom-reset")
    settled(browser)
    assert browser.text("#status") == before
    # Bars have equal lengths of time, and sum up to all changes.
    browser.run("document.querySelector('#activity details').open = true")
    browser.wait("document.querySelectorAll('#activity-card tbody tr').length > 10")
    total = browser.run(
        "Array.from(document.querySelectorAll('#activity-card tbody td:last-child')).reduce((a, c) => a + Number(c.textContent.replace(/\\D/g, '')), 0)")
    assert total == sum(head["changes"].values()), total
    browser.enter("#split", "author")
    browser.wait("document.querySelectorAll('.legend [data-series^=author]').length > 1")
    # The heat map marks the hours of work.
    assert browser.count(".heat td") == 7 * 24
    assert browser.count(".heat td.office") == 5 * 10


def rankings(browser):
    """The rows of the tables of authors, entities and kinds, and the captions."""
    tables = browser.run(
        "Array.from(document.querySelectorAll('#activity-details table:not(.heat)')).map(table => [table.caption.textContent,"
        " Array.from(table.tBodies[0].rows).map(row => Array.from(row.cells).slice(0, 5).map(cell => cell.textContent))])")
    return [sorted(rows) for _, rows in tables], [caption for caption, _ in tables]


def test_zoomed_tables(browser, reports):
    """A zoom filters the tables of authors, entities and kinds of transactions too."""
    browser.open(reports.path("report.html"))
    settled(browser)
    head = head_of(reports.path("report.html"))
    whole, captions = rankings(browser)
    assert len(whole) == 3 and all("of the whole history" in caption for caption in captions), captions
    # All days, named by their dates, have what the report counted.
    browser.enter("#day-from", head["days"][0]["day"])
    browser.enter("#day-to", head["days"][-1]["day"])
    tables, captions = rankings(browser)
    assert tables == whole, (tables, whole)
    assert all(caption.endswith("of the selected days") for caption in captions), captions
    day = max(head["days"], key=lambda day: sum(day["changes"].values()))
    browser.enter("#day-from", day["day"])
    browser.enter("#day-to", day["day"])
    (authors, entities, kinds), _ = rankings(browser)
    number = lambda text: int(re.sub(r"\D", "", text))
    for table in (authors, entities, kinds):
        found = [sum(number(row[column]) for row in table) for column in (2, 3, 4)]
        assert found == [day["changes"][kind] for kind in ("inserted", "updated", "deleted")], (found, day)
    expected = {(entry["name"] or "no author"): changes
                for entry, changes in zip(head["authors"]["entries"], day["authors"]) if changes}
    assert {row[0]: sum(map(number, row[2:])) for row in authors if any(map(number, row[2:]))} == expected
    browser.click("#zoom-reset")
    assert rankings(browser)[0] == whole


def test_findings(browser, reports):
    """Findings have a severity, transactions and values; checks without findings are listed too."""
    browser.open(reports.path("report.html"))
    head = head_of(reports.path("report.html"))
    assert head["findings"]
    for finding in head["findings"]:
        assert finding["items"] and all(item["value"] for item in finding["items"])
    assert browser.count(".finding") == len(head["findings"])
    assert browser.count(".finding .tag svg") == len(head["findings"])
    text = browser.text("#findings")
    for check in head["checks"]:
        assert check["title"] in text
    assert "not found" in text


def test_grouped_findings(browser, reports):
    """Many findings of a kind are grouped by author and week, on the page and in the JSON, and a week selects its days."""
    page = reports.path("report.html")
    finding = next(one for one in head_of(page)["findings"] if one["finding"] == "outside-office-hours")
    assert finding["count"] > 100 and sum(group["count"] for group in finding["groups"]) == finding["count"]
    for group in finding["groups"]:
        assert sum(week["count"] for week in group["weeks"]) == group["count"]
        assert all(time.strptime(week["day"], "%Y-%m-%d").tm_wday == 0 for week in group["weeks"])
    browser.open(page)
    settled(browser)
    card = "Array.from(document.querySelectorAll('.finding')).find(card => card.textContent.includes('--fail-on outside-office-hours'))"
    assert browser.run(card + ".querySelectorAll('tbody tr').length") == len(finding["groups"])
    browser.run("document.getElementById('findings').scrollIntoView()")
    picture(browser, reports, "findings")
    browser.resize(*PHONE)
    browser.run("document.getElementById('findings').scrollIntoView()")
    picture(browser, reports, "phone-findings")
    browser.resize(*DESK)
    browser.run(card + ".querySelector('.weeks button').click()")
    settled(browser)
    week = finding["groups"][0]["weeks"][0]["day"]
    assert browser.run("filter.from") == week and browser.run("dayNumber(filter.to) - dayNumber(filter.from)") == 6
    assert browser.run("Math.abs(document.getElementById('explore').getBoundingClientRect().top) < 200")
    found = browser.run("document.querySelectorAll('.finding tbody tr').length")
    assert found >= 1, "the findings of the selected days are listed one by one"


def test_title(browser, reports):
    """The title names the folder and what its store has, or is the one that was given; the source is a fact."""
    logs = reports.export(reports.store, "titled")
    page = reports.report("titled.html", logs)
    entities = [entry["name"] for entry in head_of(page)["entities"]["entries"]]
    browser.open(page)
    assert browser.text("#title") == "titled: " + ", ".join(entities[:3]) + ", …", browser.text("#title")
    assert logs in browser.text("#overview")
    browser.open(reports.report("titled.html", logs, "--title", "Trips <b>& more"))
    assert browser.text("#title") == browser.run("document.title") == "Trips <b>& more"
    assert head_of(reports.report("titled.html", reports.store))["title"] == "sample.store"


def test_damaged(browser, reports):
    """A damaged log: no answer about it is green, and a row says which transactions can't be read."""
    logs = reports.path("damaged")
    for until in ("100", "200", "300"):
        reports.export(reports.store, "damaged", "--until", until)
    log = next(os.path.join(folder, name) for folder, _, names in os.walk(logs) for name in names
               if name.startswith("00000000000000000101-"))
    with gzip.open(log) as file:
        text = file.read().decode()
    place = text.index('"txn":150')
    place = text.index('"author":"', place) + len('"author":"')
    with gzip.open(log, "wb") as file:
        file.write((text[:place] + "x" + text[place:]).encode())
    page = reports.report("damaged.html", logs)
    head = head_of(page)
    (unreadable,) = head["histories"][0]["unreadable"]
    assert 100 < unreadable["first"] <= 150 and unreadable["last"] == 200, unreadable
    browser.open(page)
    rows(browser)
    states = browser.run("Array.from(document.querySelectorAll('.tile'), tile => tile.dataset.state)")
    assert states == ["bad", "unknown", "unknown", "unknown", "unknown"], states
    assert "Copy the missing logs" not in browser.text("main")
    words = f"Transactions {unreadable['first']} to 200 can’t be read"
    places = browser.run("results.items.map(item => item.unreadable ? 'unreadable' : Number(item.id))")
    at = places.index("unreadable")
    assert places[at - 1] == 201 and places[at + 1] == unreadable["first"] - 1, places[at - 1:at + 2]
    for view in ("deletions", "objects"):
        browser.click("#view-" + view)
        settled(browser)
        browser.wait("results.items.some(item => item.unreadable)")
    assert words in browser.text("#results"), browser.text("#results")[:200]
    browser.enter("#filter-text", "Oslo")
    browser.wait("location.hash.includes('text=Oslo')")
    settled(browser)
    assert words + ", so it is unknown" in browser.text("#results")
    assert browser.count("#rest p") == 0, "the page contains all changes that were read"
    picture(browser, reports, "unreadable")
    # The check of damage has the color of the finding.
    colors = browser.run(
        "Array.from(document.querySelectorAll('#findings .tag')).filter(tag => /Serious|1 found/.test(tag.textContent))"
        ".map(tag => getComputedStyle(tag).color)")
    assert len(colors) == 2 and len(set(colors)) == 1, colors
    browser.run("document.getElementById('findings').scrollIntoView()")
    picture(browser, reports, "damaged")
    browser.run("scrollTo(0, 0)")
    picture(browser, reports, "damaged-top")
    accessible(browser, reports, "damage")


def test_explore(browser, reports):
    """One filter selects transactions, deletions and objects by author, entity, kind, object and text."""
    browser.open(reports.path("report.html"))
    settled(browser)
    all_rows = browser.text("#status")
    browser.enter("#filter-entity", "=Trip")
    settled(browser)
    assert browser.text("#status") != all_rows
    browser.enter("#filter-kind", "=delete")
    settled(browser)
    assert browser.run("decodeURIComponent(location.hash)") == "#view=transactions&sort=newest&entity=Trip&kind=delete"
    browser.click("#filter-reset")
    settled(browser)
    assert browser.text("#status") == all_rows
    browser.click("#view-objects")
    settled(browser)
    objects = int(re.sub(r"\D", "", browser.text("#status strong")))
    assert objects == head_of(reports.path("report.html"))["objects"]
    browser.enter("#filter-sort", "name")
    settled(browser)
    names = browser.run("results.items.map(item => item.name).filter(Boolean)")
    assert names == browser.run("results.items.map(item => item.name).filter(Boolean).sort(new Intl.Collator().compare)")
    browser.enter("#filter-sort", "changes")
    settled(browser)
    changes = browser.run("results.items.map(item => item.changes)")
    assert changes == sorted(changes, reverse=True)
    # The filter has the time too.
    head = head_of(reports.path("report.html"))
    browser.click("#view-transactions")
    browser.enter("#filter-from", head["days"][3]["day"])
    browser.enter("#filter-to", head["days"][9]["day"])
    settled(browser)
    assert browser.run("results.items.length") == sum(day["transactions"] for day in head["days"][3:10])
    browser.click("#filter-reset")
    settled(browser)
    browser.click("#view-deletions")
    settled(browser)
    picture(browser, reports, "deletions")
    # A cascade is one deletion, with what was deleted with it inside.
    browser.enter("#filter-sort", "largest")
    rows(browser)
    browser.click("#results .row-head")
    browser.wait("document.querySelector('#results .tree')")
    browser.run("document.querySelector('#results .tree summary') && document.querySelector('#results .tree summary').click()")
    browser.run("document.getElementById('results').scrollIntoView()")
    picture(browser, reports, "cascade")


def test_text_search(browser, reports):
    """A text is found in values and in the names of objects, as often as in the answer of log --json."""
    browser.open(reports.path("report.html"))
    settled(browser)
    lines = reports.run("log", reports.store, "--patch", "--json").stdout.splitlines()
    word = "Tromsø" if any("Tromsø" in line for line in lines) else "Bergen"
    browser.enter("#filter-text", '"' + word + '"')
    browser.wait("document.getElementById('status').textContent.match(/^0/) || true")
    browser.enter("#filter-text", word)
    browser.wait("location.hash.includes('text=')")
    settled(browser)
    found = int(re.sub(r"\D", "", browser.text("#status strong")))
    assert found >= sum(1 for line in lines if word in line) > 0, found


def test_why_found(browser, reports):
    """A deletion that a text selects shows the object with the text, also if it was deleted with another object."""
    browser.open(reports.path("report.html"), "#view=deletions&sort=largest")
    rows(browser)
    # A text that only an object below the first one has.
    word = browser.run(
        "(() => { for (const row of data.rows) { const trees = row.deleted > 1 ? deletionTrees(row) : [];"
        " const tree = trees.find(tree => tree.children.length); if (!tree || trees.length > 1) continue;"
        " const child = treeChanges(tree.children).find(change => change.name && change.name !== tree.change.name"
        " && !JSON.stringify(tree.change).includes(change.name.split(' ')[0])); if (child) return child.name; } })()")
    assert word, "no deletion has an object with a name of its own"
    browser.enter("#filter-text", word)
    browser.wait("location.hash.includes('text=')")
    rows(browser)
    assert browser.count("#results .row-head") >= 1
    heads = browser.run("Array.from(document.querySelectorAll('#results .row-head'), head =>"
                        " Array.from(head.querySelectorAll('mark'), mark => mark.textContent).join(' ').toLowerCase())")
    first = word.split(" ")[0].lower()
    assert any(first in head for head in heads), (word, heads)
    browser.run("Array.from(document.querySelectorAll('#results .row-head')).find(head => head.textContent.includes('among them')).click()")
    browser.wait("document.querySelector('#results .branch mark')")
    picture(browser, reports, "why-found")
    # So does each transaction that changes an object with the text in its name, whether or not the change has it.
    browser.click("#view-transactions")
    browser.enter("#filter-text", "oslo")
    browser.wait("location.hash.includes('text=oslo')")
    rows(browser)
    assert browser.run("Array.from(document.querySelectorAll('#results .row-head')).every(head => head.querySelector('mark'))")
    # A transaction whose values have the text shows the value.
    browser.enter("#filter-text", "notes")
    browser.wait("location.hash.includes('text=notes')")
    rows(browser)
    assert browser.run("Array.from(document.querySelectorAll('#results .row-head')).every(head => head.querySelector('mark'))")
    accessible(browser, reports, "marked words")


def test_values(browser, reports):
    """Values are side by side, and the changed part of a text is marked."""
    browser.open(reports.path("report.html"))
    settled(browser)
    browser.enter("#filter-kind", "=update")
    browser.enter("#filter-text", "notes")
    browser.wait("location.hash.includes('text=')")
    rows(browser)
    browser.run("Array.from(document.querySelectorAll('#results .row-head')).slice(0, 30).forEach(b => b.click())")
    browser.wait("document.querySelector('#results del') && document.querySelector('#results ins')")
    heads = browser.run("Array.from(document.querySelector('#results .change[data-kind=update] thead').querySelectorAll('th')).map(h => h.textContent)")
    assert heads == ["Property", "Before", "After"], heads
    same = browser.run(
        "JSON.stringify(textDifference('the quick brown fox', 'the slow brown fox'))")
    assert same == '[{"same":"the "},{"0":"quick","1":"slow"},{"same":" brown fox"}]', same
    same = browser.run("JSON.stringify(textDifference('[\\n \"a\",\\n 1.5\\n]', '[\\n \"a\",\\n 2.5\\n]', true))")
    assert json.loads(same) == [{"same": '[\n "a",\n '}, {"0": "1.5", "1": "2.5"}, {"same": "\n]"}], same
    browser.run("document.querySelector('#results').scrollIntoView()")
    picture(browser, reports, "values")


def test_object(browser, reports):
    """A link to an object shows its history on one timeline, and who set each value."""
    lines = reports.run("log", reports.store, "--patch", "--json").stdout.splitlines()
    counts = {}
    for line in lines:
        for change in json.loads(line)["differences"]:
            key = change["entity"] + "/" + change["id"]
            counts[key] = counts.get(key, 0) + 1
    name = max((count, key) for key, count in counts.items())[1]
    browser.open(reports.path("report.html"), "#object=" + name)
    browser.wait("document.querySelector('.timeline')")
    assert browser.count(".timeline > li") == min(50, counts[name])
    browser.run("document.querySelector('.detail summary').click()")
    assert browser.run("document.activeElement.id") == "detail-title"
    picture(browser, reports, "object")
    browser.key("Escape")
    browser.wait("!document.querySelector('.detail')")


def test_links(browser, reports):
    """A shared link restores the filter; a link to what is not in the page shows a command."""
    page = reports.path("report.html")
    browser.open(page, "#view=deletions&sort=oldest&entity=Trip&from=2024-01-01")
    settled(browser)
    assert browser.run("document.getElementById('filter-entity').value") == "=Trip"
    assert browser.run("document.getElementById('view-deletions').getAttribute('aria-pressed')") == "true"
    # The copied link of a search shows the results, not the top of the page.
    browser.open(page, "#view=objects&sort=changes&text=Trip")
    rows_at = "document.querySelector('#results .row').getBoundingClientRect()"
    settled(browser)
    browser.wait("document.querySelector('#results .row')")
    assert browser.run(rows_at + ".top < innerHeight - 100 && " + rows_at + ".top > 0"), browser.run(rows_at + ".top")
    browser.open(page, "#transaction=99999")
    browser.wait("document.querySelector('.detail')")
    assert "travelog show" in browser.text(".detail")
    browser.open(page, "#object=Trip/99999")
    browser.wait("document.querySelector('.detail')")
    assert "travelog blame" in browser.text(".detail") and "Trip 99999" in browser.text(".detail")
    browser.open(page, "#transaction=3")
    browser.wait("document.querySelector('.detail .change')")
    browser.open(page, "#object=%E0%A4%A&%%%=1&__proto__=x")
    settled(browser)


def test_keyboard(browser, reports):
    """The keyboard reaches and operates the page: skip link, filter, rows, print."""
    browser.open(reports.path("report.html"))
    settled(browser)
    browser.run("document.activeElement.blur()")
    browser.key("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    browser.key("/", text="/")
    assert browser.run("document.activeElement.id") == "filter-text"
    rows(browser)
    browser.run("document.querySelector('#results .row-head').focus()")
    browser.key("Enter", text="\r")
    assert browser.run("document.querySelector('#results .row-head').getAttribute('aria-expanded')") == "true"
    browser.key("ArrowDown")
    assert browser.run("Array.from(document.querySelectorAll('.row-head')).indexOf(document.activeElement)") == 1
    # Tab reaches each control before the list, and then the rows of the list.
    browser.run("window.reached = new Set(); document.addEventListener('focusin', event => reached.add(event.target));"
                " document.querySelector('.skip').focus()")
    for _ in range(300):
        browser.key("Tab")
        if browser.run("document.activeElement === document.querySelectorAll('#results .row-head')[2]"):
            break
    missed = browser.run(
        "Array.from(document.querySelectorAll('button, a[href], input, select, summary'))"
        ".filter(e => e.offsetParent && !e.disabled && !e.closest('#results') && !reached.has(e)).map(e => e.outerHTML.slice(0, 100))")
    assert not missed and browser.run("reached.size") > 40, missed
    assert browser.run("reached.has(document.querySelectorAll('#results .row-head')[2])")
    browser.run("document.getElementById('print').focus()")
    browser.key("Enter", text="\r")
    assert browser.run("document.getElementById('print-dialog').open")
    picture(browser, reports, "print-dialog")
    browser.key("Escape")
    assert not browser.run("document.getElementById('print-dialog').open")


def test_scrolling(browser, reports):
    """Rows are made when they are scrolled to, and removed again; the page stays small."""
    browser.open(reports.path("report.html"))
    rows(browser)
    first = browser.count("#results .row")
    assert first <= 200, first
    for _ in range(12):
        browser.run("scrollTo(0, document.documentElement.scrollHeight)")
        browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 80)))")
    parts = browser.count("#results .rows")
    assert parts > 8, parts
    assert browser.count("#results .row") < parts * 40, "rows far away are still there"
    assert browser.count("*") < 9000
    browser.run("document.getElementById('results').scrollIntoView()")
    browser.wait("document.querySelector('#results .rows .row')")


def test_accessible(browser, reports):
    """axe finds no violation of WCAG 2.2 AA, in light and dark, on a desk and a phone, open and closed."""
    for scheme in ("light", "dark"):
        browser.media(scheme)
        for size in (DESK, PHONE):
            browser.resize(*size)
            browser.open(reports.path("report.html"))
            rows(browser)
            browser.run("document.querySelectorAll('summary').forEach(s => s.click())")
            browser.run("document.querySelectorAll('#results .row-head').forEach((b, i) => i < 5 && b.click())")
            accessible(browser, reports, f"{scheme} {size}")
            browser.open(reports.path("report.html"), "#transaction=300")
            browser.wait("document.querySelector('.detail')")
            browser.click("#print")
            accessible(browser, reports, f"{scheme} {size} detail")
    browser.media()
    browser.resize(*DESK)


def test_looks(browser, reports):
    """The page fits a phone without scrolling sideways, and has a dark design."""
    browser.media("dark")
    browser.open(reports.path("report.html"))
    settled(browser)
    dark = browser.run("getComputedStyle(document.body).backgroundColor")
    picture(browser, reports, "dark", whole=True)
    browser.media()
    assert dark != browser.run("getComputedStyle(document.body).backgroundColor")
    browser.resize(*PHONE)
    browser.open(reports.path("report.html"))
    settled(browser)
    wide = browser.run("document.documentElement.scrollWidth")
    assert wide <= 390, f"on a narrow screen the page is {wide} wide"
    for width in (390, 500):
        browser.resize(width, 844, True)
        fits = browser.run("(() => { const box = document.querySelector('.heat').parentNode; return box.scrollWidth <= box.clientWidth; })()")
        assert fits, f"the heat map is cut at a width of {width}"
    browser.run("document.querySelector('.heat-card').scrollIntoView()")
    picture(browser, reports, "narrow-heat")
    browser.resize(*PHONE)
    rows(browser)
    browser.click("#results .row-head")
    picture(browser, reports, "phone-rows")
    browser.run("scrollTo(0, 0)")
    picture(browser, reports, "phone", whole=True)
    browser.resize(*DESK)


def test_print(browser, reports):
    """The printed document has a cover with the answers, findings, deletions, page numbers, the head and a place to sign."""
    browser.open(reports.path("report.html"))
    settled(browser)
    browser.run("window.print = () => {}")
    browser.click("#print")
    browser.click("#print-now")
    browser.wait("document.getElementById('paper')")
    pdf = reports.path("report.pdf")
    browser.paper(pdf)
    digest = head_of(reports.path("report.html"))["histories"][0]["digest"]
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True).stdout
        pages = text.split("\f")[:-1]
        assert len(pages) > 4, len(pages)
        for word in ("Contents", "Findings", "Deletions", "Signature", "Transaction"):
            assert word in text, word
        assert all(f"Page {n} of {len(pages)}" in page for n, page in enumerate(pages, 1))
        assert all("Head " + digest in page for page in pages), "the head is not on each page"
        for question in head_of(reports.path("report.html"))["questions"]:
            assert question["title"] in pages[0] and question["answer"] in pages[0], question
        assert "Contents" in pages[0] and "Answers" in pages[1], "the contents are not on the cover"
        first = next(number for number, page in enumerate(pages) if "Changes outside office hours (" in page)
        last = next(number for number, page in enumerate(pages) if re.search(r"^\s*Deletions\s*$", page, re.M))
        assert last - first <= 2, "the findings fill many pages"
        print(f"  {len(pages)} pages")
    # Transactions are printed on demand.
    browser.run("document.querySelectorAll('#paper').forEach(paper => paper.remove())")
    for name in ("transactions", "activity", "files"):
        browser.run(f"document.getElementById('print-{name}').checked = true")
    browser.enter("#filter-kind", "=delete")
    settled(browser)
    browser.click("#print")
    browser.click("#print-now")
    assert browser.count("#paper-transactions .change") > 10
    assert "undefined" not in browser.text("#paper"), re.findall(".{80}undefined", browser.text("#paper"))
    for part in ("activity", "files", "signature"):
        assert browser.count(f"#paper-{part}") == 1, part
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "50", "-png", "-l", "6", pdf, reports.path("pictures/paper")], check=True)
        subprocess.run(["pdftoppm", "-r", "90", "-png", "-singlefile", pdf, reports.path("pictures/cover")], check=True)


def test_without_script(browser, reports):
    """Without JavaScript or DecompressionStream the page has its first tables and transactions as HTML."""
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.ask("Page.navigate", url="file://" + reports.path("report.html"))
    time.sleep(2)
    picture(browser, reports, "plain")
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    script = browser.ask("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    browser.open(reports.path("report.html"), wait="document.getElementById('plain')")
    head = head_of(reports.path("report.html"))
    text = browser.text("#plain")
    assert head["histories"][0]["digest"] in text
    assert browser.count("#plain table") >= 4
    assert browser.count("#plain tbody tr") > 100
    accessible(browser, reports, "without the script")
    browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


def test_few(browser, reports):
    """Histories without changes and with one transaction have a page that says so."""
    empty = reports.seed("empty.store", 1)
    page = reports.report("none.html", empty, "--until", "2000-01-01")
    browser.open(page)
    settled(browser)
    assert "no transaction" in browser.text("#overview"), browser.text("#overview")
    assert browser.count(".row") == 0
    picture(browser, reports, "none")
    accessible(browser, reports, "no changes")
    browser.open(reports.report("one.html", empty))
    rows(browser)
    assert browser.count("#results .row") >= 1
    picture(browser, reports, "one")
    accessible(browser, reports, "one change")


def test_hostile(browser, reports):
    """Strings of a store are shown as they are: markup, right-to-left text, very long names."""
    path = reports.seed("hostile.store", 400)
    names = ["<img src=x onerror=alert(1)>", "رحلة إلى القاهرة والإسكندرية", "x" * 3000, "a\u202eb\u0007",
             "</script><script>alert(1)</script>", "👩‍👩‍👧‍👦 " * 40]
    database = sqlite3.connect(path)
    ids = [row[0] for row in database.execute("SELECT id FROM Trip LIMIT 6")]
    database.close()
    for number, name in zip(ids, names):
        # Another program writes, so that the changes become foreign ones.
        script = "UPDATE Trip SET name = '%s', notes = '%s' WHERE id = %d" % (name.replace("'", "''"), name, number)
        database = sqlite3.connect(path)
        database.execute(script)
        database.commit()
        database.close()
    logs = reports.export(path, "hostile-logs")
    page = reports.report("hostile.html", logs)
    browser.open(page)
    rows(browser)
    browser.run("document.querySelectorAll('#results .row-head').forEach((b, i) => i < 8 && b.click())")
    text = browser.text("main")
    assert "<img src=x onerror=alert(1)>" in text and "القاهرة" in text, text[:3000]
    assert "\u202e" not in text and "\\u{202e}" in text
    assert browser.count("img") == 0
    assert browser.run("document.documentElement.scrollWidth") <= 1280
    picture(browser, reports, "hostile", whole=True)
    accessible(browser, reports, "hostile strings")
    browser.resize(*PHONE)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    picture(browser, reports, "hostile-phone")
    browser.resize(*DESK)


def longest_task(browser, script, condition):
    """The longest time in milliseconds for which the page did not answer, the least of three runs."""
    longest = []
    for _ in range(3):
        browser.run("window.tasks = [0]; window.watcher = new PerformanceObserver(list =>"
                    " list.getEntries().forEach(entry => tasks.push(entry.duration)));"
                    " watcher.observe({ type: 'longtask' }); undefined")
        browser.run(script)
        browser.run("new Promise(done => setTimeout(done, 300))")
        browser.wait(condition)
        browser.run("new Promise(done => setTimeout(done, 100))")
        longest.append(browser.run("watcher.disconnect(); Math.max(...tasks)"))
    return min(longest)


def test_large(browser, reports):
    """A history that does not fit into a page says so, shows the command for the rest, and never blocks for long."""
    store = reports.seed("large.store", 180_000)
    page = reports.report("large.html", store)
    seconds, processor = browser.opened(page)
    settled(browser)
    print(f"  {os.path.getsize(page)} bytes, {seconds:.2f} seconds, {processor:.2f} of processor,"
          f" {browser.count('*')} elements")
    assert os.path.getsize(page) > 7_000_000, os.path.getsize(page)
    assert browser.count("*") < 6000
    status = browser.text("#status")
    assert re.search("in [0-9\u202f]+ of 180\u202f000 changes", status), status
    first = min(browser.run("data.rows.map(row => Number(row.id))"))
    assert first > 1
    command = browser.text("#rest code").removesuffix("--patch").replace("travelog", reports.travelog, 1)
    rest = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    ids = {int(line.split()[0]) for line in rest.splitlines()}
    assert ids >= set(range(1, first)), "the command does not show what the page lacks"
    done = "!/Searching|reading/.test(document.getElementById('status').textContent)"
    for what, script in {
        "text": "setFilter({ text: 'oslo' })", "two words": "setFilter({ text: 'weekend oslo' })",
        "objects": "setFilter({ text: undefined, view: 'objects', sort: 'changes' })",
        "objects by name": "setFilter({ sort: 'name' })",
        "largest": "setFilter({ view: 'transactions', sort: 'largest' })",
    }.items():
        blocked = longest_task(browser, script, done)
        print(f"  {what}: {browser.text('#status')}; at most {blocked:.0f} ms without an answer")
        assert blocked < 200, (what, blocked)
    blocked = longest_task(
        browser, "location.hash = '#object=Trip/' + Math.ceil(Math.random() * 50)",
        "document.querySelector('.detail') && !/Searching/.test(document.querySelector('.detail').textContent)")
    assert blocked < 200, ("one object", blocked)
    browser.run("setFilter({ sort: 'newest' })")
    browser.enter("#filter-text", "Oslo")
    browser.wait("location.hash.includes('text=Oslo')")
    settled(browser)
    assert re.search("in [0-9\u202f]+ of 180\u202f000 changes", browser.text("#status"))
    assert "| grep -i -F -e Oslo" in browser.text("#rest code")
    browser.open(page, "#transaction=1")
    browser.wait("document.querySelector('.detail')")
    assert "travelog show" in browser.text(".detail")


def test_folder(browser, reports):
    """A folder of several stores and lineages is one page; the filter selects a history."""
    for number in (1, 2):
        reports.export(reports.seed(f"part-{number}.store", 300, seed=number), "fleet")
    # The third store has a second lineage, because it was restored from an older copy.
    store = reports.seed("part-3.store", 300, seed=3)
    shutil.copy(store, reports.path("older.store"))
    subprocess.run([reports.trips, "add", store, "--name", "Norway", "--destination", "Bergen",
                    "--start", "2026-06-01", "--end", "2026-06-14"], check=True, stdout=subprocess.DEVNULL)
    reports.export(store, "fleet")
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(store + suffix):
            os.remove(store + suffix)
    shutil.copy(reports.path("older.store"), store)
    assert reports.run("recover", store, "--to", reports.path("fleet")).returncode == 0
    reports.export(store, "fleet")
    page = reports.report("fleet.html", reports.path("fleet"))
    head = head_of(page)
    assert [history["lineage"] for history in head["histories"]].count(1) == 1
    assert len(head["histories"]) == 4 and len({history["store"] for history in head["histories"]}) == 3
    assert head["transactions"] == sum(h["transactions"] for h in head["histories"])
    browser.open(page)
    settled(browser)
    assert browser.count("#filter-history option") == 5
    browser.enter("#filter-history", "=1")
    settled(browser)
    shown = int(re.sub(r"\D", "", browser.text("#status strong")))
    assert shown == head["histories"][1]["transactions"]
    picture(browser, reports, "fleet")
    accessible(browser, reports, "a folder of stores")


def test_difference(browser, reports):
    """diff has the same page, with the differences between two points."""
    answer = reports.run("diff", reports.store + "@100", reports.store, "--format", "html")
    page = reports.path("difference.html")
    open(page, "w", encoding="utf-8").write(answer.stdout)
    lines = reports.run("diff", reports.store + "@100", reports.store, "--json").stdout.splitlines()
    browser.open(page)
    settled(browser)
    assert int(re.sub(r"\D", "", browser.text("#status strong"))) == len(lines) - 1
    browser.enter("#filter-kind", "=delete")
    settled(browser)
    assert int(re.sub(r"\D", "", browser.text("#status strong"))) == head_of(page)["changes"]["deleted"]
    picture(browser, reports, "difference")
    accessible(browser, reports, "a difference")


def main():
    travelog, trips, axe, folder = sys.argv[1:5]
    wanted = sys.argv[5:]
    os.makedirs(os.path.join(folder, "pictures"), exist_ok=True)
    reports = Reports(travelog, trips, axe, folder)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "there is no chromium; make browser-test installs it"
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    failed = 0
    for name, test in tests:
        if wanted and name not in wanted and name != "test_size":
            continue
        browser = Browser(chromium)
        try:
            browser.resize(*DESK)
            browser.media()
            test(browser, reports)
            fetched = {
                m["params"]["request"]["url"].split("#")[0] for m in browser.messages
                if m.get("method") == "Network.requestWillBeSent"
            }
            # Chromium draws the button of a date field with an image of its own.
            own = ("file://" + reports.folder, "about:", "data:image/svg+xml")
            assert all(url.startswith(own) for url in fetched), fetched
            wrong = [m for m in browser.messages
                     if m.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
            assert not wrong, wrong
            print("passed:", test.__doc__.splitlines()[0])
        except AssertionError as error:
            failed += 1
            print("FAILED:", test.__doc__.splitlines()[0], "\n ", error)
        finally:
            browser.close()
    print(f"pictures are in {folder}/pictures")
    sys.exit(1 if failed else 0)


main()
