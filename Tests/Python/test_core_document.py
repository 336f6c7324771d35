"""The code of docs/PYTHON.md that needs no package."""
import contextlib
import io
import os
import re
import sqlite3
import subprocess
import unittest
from contextlib import closing

import support
from support import FolderTest, travelog

import travelog as package


class DocumentTests(FolderTest):
    def test_the_code_of_the_document_runs(self):
        text = (support.ROOT / "docs/PYTHON.md").read_text()
        blocks = dict(re.findall(r"^```python (\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        with closing(sqlite3.connect("app.db")) as file:
            file.execute("CREATE TABLE invoice (id INTEGER PRIMARY KEY, paid)")
            file.execute("INSERT INTO invoice VALUES (7, 0)")
            file.commit()
        travelog("adopt", "app.db")
        names = {}
        exec(blocks["author"], names)
        names["connection"].close()
        travelog("export", "app.db", "--to", "logs")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(blocks["read"], names)
        self.assertTrue(printed.getvalue().endswith(
            " alice update invoice 7 {'paid': 0} {'paid': 1}\n"), printed.getvalue())

    def test_the_package_has_the_version_of_the_program(self):
        done = subprocess.run([support.TRAVELOG, "--version"], capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines()[0], f"travelog {package.__version__}")


if __name__ == "__main__":
    unittest.main()
