"""Pictures of Django's admin with the history, in .build/python. Needs Chromium."""
import shutil
import sys
import unittest

import shop_runner
import support
from support import FolderTest, travelog

sys.path.insert(0, str(support.ROOT / "Tests/Browser"))
from browser import Browser as Chromium  # noqa: E402


class PictureTests(FolderTest):
    @unittest.skipUnless(shutil.which("chromium"), "Chromium is not installed")
    def test_the_button_history_leads_to_a_page_that_only_shows(self):
        site = shop_runner.Shop(self.folder)
        travelog("adopt", site.database)
        # The server only has the files of the admin's style with this option.
        with site.serve("--insecure") as address:
            ada, eve = (shop_runner.Browser(address, name) for name in ("ada", "eve"))
            ada.submit("/admin/shop/author/add/", **{
                "name": "Ann Ek", "book_set-0-title": "Tales of the North",
                "book_set-0-price": "12.50"})
            eve.submit("/admin/shop/book/1/change/", title="Tales of the Far North", price="14")
            site.django("shell", "-c", (
                "from travelog.django import author\nfrom shop.models import Book\n"
                "with author('nightly job', reason='prices of December'):\n"
                "    Book.objects.update(price=9)"))
            chromium = Chromium(shutil.which("chromium"))
            self.addCleanup(chromium.close)
            self.look(chromium, f"{address}/admin/shop/book/1/change/")

    def look(self, chromium, address):
        chromium.resize(1280, 900)
        chromium.media()
        chromium.ask("Page.navigate", url=address)
        chromium.wait("document.querySelector('#id_username')")
        chromium.enter("#id_username", "ada")
        chromium.enter("#id_password", "secret")
        chromium.click("[type=submit]")
        chromium.wait("document.querySelector('a.historylink')")
        self.picture(chromium, "button")
        chromium.click("a.historylink")
        chromium.wait("document.querySelector('#travelog-history')"
                      " && document.readyState === 'complete'")
        self.picture(chromium, "history")
        self.assertEqual(chromium.count("#travelog-history tbody tr"), 3)
        # Below the list of Django, and as wide.
        self.assertTrue(chromium.run(
            "(function () { var [above, ours] = ['#change-history', '#travelog-history'].map("
            "(name) => document.querySelector(name + ' table').getBoundingClientRect());"
            " return ours.top > above.bottom && ours.width === above.width; })()"))
        self.assertEqual(chromium.count("#travelog-history :is(a, button, form, input)"), 0)
        # On a phone, the table can be scrolled, and the page has the width of the screen.
        chromium.resize(390, 844, mobile=True)
        self.picture(chromium, "history-phone")
        self.assertEqual(chromium.run("document.documentElement.scrollWidth"), 390)
        chromium.resize(1280, 900)
        chromium.media("dark")
        self.picture(chromium, "history-dark")

    def picture(self, chromium, name):
        place = support.ROOT / ".build/python" / f"{name}.png"
        chromium.picture(place)
        self.assertGreater(place.stat().st_size, 5000)


if __name__ == "__main__":
    unittest.main()
