"""The commands of docs/FLEET.md print what the page shows."""
import os, re, shutil, subprocess, sys, unittest

from support import ROOT, FolderTests
import world

PAGE = ROOT / "docs" / "FLEET.md"


def steps(text):
    """Each command of the page, and the output that the page shows."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            yield command, shown


class DocumentTests(FolderTests):
    def test_a_reader_who_types_the_commands_of_the_page_sees_what_it_shows(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for name, path in (("travelog", world.TRAVELOG), ("trips", world.TRIPS)):
            (programs / name).symlink_to(shutil.which(path))
        fleet = programs / "travelog-fleet"
        fleet.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B -m travelog_fleet "$@"\n')
        fleet.chmod(0o755)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        environment.pop("TRAVELOG", None)
        found = list(steps(PAGE.read_text()))
        self.assertGreater(len(found), 10)
        for command, shown in found:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment,
                                  capture_output=True, text=True)
            output = done.stdout + done.stderr
            pattern = ".*".join(map(re.escape, shown.strip().split("…")))
            self.assertIsNotNone(re.fullmatch(pattern, output.strip(), re.DOTALL),
                                 f"“{command}” printed:\n{output}")


if __name__ == "__main__":
    unittest.main()
