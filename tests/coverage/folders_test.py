#!/usr/bin/env python3
"""Tests of folders.py. Run by ctest, and by hand: python3 tests/coverage/folders_test.py"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # The tests may run in a checkout that they must not write to.
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import folders  # noqa: E402


def a_file(name, lines, branches):
    summary = {what: {"covered": of[0], "count": of[1]} for what, of in (("lines", lines), ("branches", branches))}
    return {"filename": name, "summary": summary}


def report(floors, *options):
    """Status, output and errors of a report of three files, and the file of floors afterwards."""
    files = [a_file("/r/plugin/policy/words/word.cc", (90, 100), (8, 10)),
             a_file("/r/plugin/policy/judge.cc", (100, 100), (10, 10)),
             a_file("/r/host-api/reference-host/mcp/call.cc", (1, 2), (0, 0)),
             a_file("/usr/include/c++/12/vector", (0, 1000), (0, 1000))]
    with tempfile.TemporaryDirectory() as place:
        counts, floors_file = pathlib.Path(place, "files.json"), pathlib.Path(place, "floors")
        counts.write_text(json.dumps({"data": [{"files": files}]}))
        floors_file.write_text(floors)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = folders.main([str(counts), "--root", "/r", "--floors", str(floors_file), *options])
        return status, out.getvalue(), errors.getvalue(), floors_file.read_text()


class Folders(unittest.TestCase):
    def test_a_room_has_the_files_of_the_folders_below_it(self):
        status, out, _, _ = report("")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"plugin/policy +190 +200 +95.00 +18 +20 +90.00")
        self.assertRegex(out, r"host-api/reference-host/mcp +1 +2 +50.00 +0 +0 +100.00")
        self.assertRegex(out, r"\(all\) +191 +202 ")

    def test_a_folder_below_its_floor_fails(self):
        status, _, errors, _ = report("plugin/policy 95.1 90.0\n")
        self.assertEqual(status, 1)
        self.assertIn("plugin/policy: 95.00 % of lines", errors)
        self.assertNotIn("branches", errors)
        self.assertEqual(report("plugin/policy 95.0 90.1\n")[0], 1)

    def test_a_floor_of_a_folder_that_is_gone_fails(self):
        self.assertIn("plugin/gone has a floor", report("plugin/gone 1.0 1.0\n")[2])

    def test_floors_are_raised_and_never_lowered(self):
        status, _, _, floors = report("# why\nplugin/policy 20.0 89.9\n", "--raise")
        self.assertEqual(status, 0)
        self.assertEqual(floors, "# why\nhost-api/reference-host/mcp 49.5 99.5\nplugin/policy 94.5 89.9\n")

    def test_one_folder_alone_leaves_the_other_floors(self):
        status, out, _, floors = report("plugin/gone 1.0 1.0\nplugin/policy 0.0 0.0\n", "--raise", "--folder", "plugin/policy")
        self.assertEqual(status, 0)
        self.assertNotIn("mcp", out)
        self.assertEqual(floors, "plugin/gone 1.0 1.0\nplugin/policy 94.5 89.5\n")

    def test_a_row_that_is_not_understood_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "line 2: 'plugin/policy many'"):
            report("# why\nplugin/policy many\n")


if __name__ == "__main__":
    unittest.main()
