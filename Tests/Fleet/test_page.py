"""The page about a fleet, as an auditor sees it in a browser."""
import json, shutil, sys, unittest

from support import FolderTests, ROOT, load
from test_erasure import erase_secret, with_secret
import world
from travelog_fleet.engines import DuckDB
from travelog_fleet.lake import Lake
from travelog_fleet.page import REPAIRS, write_page

sys.path.append(str(ROOT / "Tests" / "Browser"))
from browser import Browser

CHROMIUM = shutil.which("chromium")


class PageTests(FolderTests):
    def page(self, *makers):
        """The page about stores by each maker, and the stores."""
        logs, members = self.make(*makers, seed=1)
        if with_secret in makers:
            erase_secret(logs, members[makers.index(with_secret)])
        load(logs, self.lake)
        engine = DuckDB(Lake(self.lake))
        self.addCleanup(engine.close)
        page = self.folder / "fleet.html"
        write_page(engine, page, "a fleet")
        return page, members

    def assert_answers(self, page, **answers):
        text = page.read_text()
        for question, (state, answer) in answers.items():
            self.assertIn(f"<small>{question.replace('_', ' ')}?</small><strong class={state}>{answer}</strong>",
                          text)

    def test_the_page_of_sound_stores_answers_the_questions_of_a_report(self):
        page, _ = self.page(with_secret, world.plain)
        self.assert_answers(page, Was_anything_altered=("good", "No alteration was found"),
                            Were_values_erased=("attention", "In 4 transactions"),
                            Are_changes_missing=("good", "No gaps"),
                            Did_other_programs_write=("good", "No"),
                            Are_the_logs_complete=("good", "No later log is missing"))

    def test_nothing_is_called_good_while_a_store_is_in_quarantine(self):
        page, _ = self.page(world.plain, world.newer)
        self.assert_answers(page, Was_anything_altered=("unknown", "1 store not verified"),
                            Are_changes_missing=("unknown", "Unknown"),
                            Are_the_logs_complete=("unknown", "1 store not verified"))

    @unittest.skipUnless(CHROMIUM, "without Chromium")
    def test_a_browser_shows_each_store_in_quarantine_with_its_reason_and_repair(self):
        page, members = self.page(with_secret, world.incomplete, world.damaged, world.newer)
        browser = Browser(CHROMIUM)
        self.addCleanup(browser.close)
        for width, height, is_phone in ((1280, 900, False), (390, 844, True)):
            browser.resize(width, height, is_phone)
            browser.open(page, wait="true")
            self.assertEqual(
                browser.run("[...document.querySelectorAll('.tiles strong')].map(tile => tile.className)"),
                ["bad", "attention", "unknown", "unknown", "bad"])
            # Only a table may be wider than the screen, and then scrolls in its card.
            self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
            rows = browser.run("[...document.querySelectorAll('#quarantine ~ .card')][0].innerText")
            for member in members[1:]:
                row = next(line for line in rows.splitlines() if member.identifier in line)
                self.assertTrue(row.startswith(member.verdict), row)
                self.assertIn(REPAIRS[member.verdict], row)
            widths = browser.run("[...document.querySelectorAll('td.text')].map(cell => cell.clientWidth)")
            self.assertGreater(min(widths), 200)
        links = browser.run("[...document.querySelectorAll('nav a')].map(link => link.hash)")
        for link in links:
            browser.click(f"nav a[href={json.dumps(link)}]")
            self.assertLess(browser.run(f"document.querySelector({json.dumps(link)}).getBoundingClientRect().top"),
                            844)
        wrong = [message for message in browser.messages if message.get("method") in (
            "Runtime.exceptionThrown", "Log.entryAdded")]
        self.assertEqual(wrong, [])
        loaded = {message["params"]["request"]["url"].split("#")[0] for message in browser.messages
                  if message.get("method") == "Network.requestWillBeSent"}
        self.assertLessEqual(loaded, {"about:blank", page.as_uri()})


if __name__ == "__main__":
    unittest.main()
