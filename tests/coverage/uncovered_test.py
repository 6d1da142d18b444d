#!/usr/bin/env python3
"""Tests of uncovered.py. Run by ctest, and by hand: python3 tests/coverage/uncovered_test.py"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # The tests may run in a checkout that they must not write to.
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import uncovered  # noqa: E402

SOURCE = "int f() {\n  if (no_memory())\n    return\t -1;\n  // why\n  return 0;\n}\nint g() { return 1; }\n"


def report(reasons, counts=(5, 5, 0, None, 0, 5, 0), folder="plugin/engine"):
    """Status, output, errors and list of a report of one file: SOURCE, whose lines have these counts."""
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        (root / folder).mkdir(parents=True)
        (root / folder / "f.cc").write_text(SOURCE)
        rows = [f"SF:{root}/{folder}/f.cc"]
        rows += [f"DA:{at},{count}" for at, count in enumerate(counts, 1) if count is not None]
        rows += ["end_of_record", "SF:/usr/include/vector", "DA:1,0", "end_of_record"]
        (root / "lines.lcov").write_text("\n".join(rows))
        lines = {"covered": sum(1 for count in counts if count), "count": sum(1 for count in counts if count is not None)}
        summary = {"lines": lines, "branches": {"covered": 0, "count": 0}}
        (root / "files.json").write_text(
            json.dumps({"data": [{"files": [{"filename": f"{root}/{folder}/f.cc", "summary": summary}]}]}))
        (root / "reasons").write_text(reasons)
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = uncovered.main([str(root / "lines.lcov"), "--root", place, "--reasons", str(root / "reasons"),
                                     "--files", str(root / "files.json"), "--list", str(root / "list")])
        return status, out.getvalue(), errors.getvalue(), (root / "list").read_text()


F = "plugin/engine/f.cc\treturn -1;\tno test takes the memory away\n"
G = "plugin/engine/f.cc\tint g() { return 1; }\tonly a debugger calls it\n"


class Uncovered(unittest.TestCase):
    def test_each_gap_of_a_folder_below_its_aim_needs_a_reason(self):
        status, out, errors, gaps = report(F)
        self.assertEqual(status, 1)
        self.assertIn("3 lines are not covered; 2 of them have a reason", out)
        self.assertIn("plugin/engine: 50.00 % of lines are covered, the aim is 95 %, and 1 gaps have no reason", errors)
        self.assertEqual(gaps, "plugin/engine/f.cc:7-7: int g() { return 1; }\n")
        status, _, errors, gaps = report("# why\n\n" + F + G)
        self.assertEqual((status, errors, gaps), (0, "", ""))

    def test_any_line_of_a_gap_may_name_it(self):
        self.assertEqual(report(F.replace("return -1;", "return 0;") + G)[0], 0)

    def test_a_folder_that_reaches_its_aim_needs_no_reasons(self):
        self.assertEqual(report("", counts=(5, 5, 5, None, 5, 5, 1))[0], 0)

    def test_a_line_that_is_reached_needs_no_reason_any_longer(self):
        status, _, errors, _ = report(F + G, counts=(5, 5, 1, None, 0, 5, 0))
        self.assertEqual(status, 1)
        self.assertIn("uncovered, line 1: a test reaches 'return -1;' of plugin/engine/f.cc now", errors)

    def test_a_line_that_some_runs_reach_keeps_its_reason(self):
        self.assertEqual(report("~" + F + G, counts=(5, 5, 1, None, 1, 5, 0))[0], 0)
        self.assertEqual(report("~" + F + G)[0], 0)

    def test_a_line_that_is_gone_is_an_error(self):
        self.assertIn("line 1: plugin/engine/f.cc has no line 'return -2;'", report(F.replace("-1", "-2"))[2])
        self.assertIn("line 1: plugin/engine/g.cc has no code", report(F.replace("f.cc", "g.cc"))[2])

    def test_a_line_without_code_explains_nothing(self):
        self.assertIn("a test reaches '// why'", report(F.replace("return -1;", "// why"))[2])

    def test_the_host_has_an_aim_of_its_own(self):
        status, _, errors, _ = report("", folder="host-api/base", counts=(5, 5, 0, None, 5, 5, 5))
        self.assertEqual(status, 1)
        self.assertIn("host-api/base: 83.33 % of lines are covered, the aim is 93 %", errors)

    def test_a_row_without_a_reason_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "line 1: 'plugin/engine/f.cc\treturn -1;'"):
            report("plugin/engine/f.cc\treturn -1;\n")


if __name__ == "__main__":
    unittest.main()
