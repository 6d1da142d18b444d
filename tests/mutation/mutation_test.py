#!/usr/bin/python3
"""Tests of the mutation tool on a small C++ file: its places, one build with all mutants, and what the tests find.
Run by ctest, and by hand: tests/mutation/mutation_test.py. Exits with 77 where clang or libclang for Python is missing."""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # The tests may run in a checkout that they must not write to.
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import places
    import weave
except ImportError as error:
    print(f"skipped: {error}; install the package python3-clang")
    sys.exit(77)
if not shutil.which("clang++"):
    print("skipped: clang++ is missing")
    sys.exit(77)

loader = importlib.machinery.SourceFileLoader("mutation_run", str(HERE / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutation_run", loader))
sys.modules["mutation_run"] = run
loader.exec_module(run)

SOURCE = """#define TWICE(x) ((x) * 2)
constexpr int next(int n) { return n + 1; }
namespace {
int calls = 0;
template <class T> T max(T a, T b) { return a < b ? b : a; }
void note() { calls = max(calls + 1, 1); }
bool inside(int n, int low, int high) {
  if (n < 0) return false;  // An early end.
  note();
  return n >= low && n <= high;
}
int width(const char* text) {
  char buffer[4] = {};
  int i = 0;
  while (text[i] != '\\0' && i < 3) {
    buffer[i] = text[i];
    ++i;
  }
  switch (buffer[0]) {
    case 7: return TWICE(next(2));
    default: break;
  }
  return i;
}
}  // namespace
int main() {
  if (!inside(5, 1, 9)) return 1;
  if (inside(-1, -5, 9)) return 2;
  if (calls != 1) return 3;
  return width("ab") == 2 ? 0 : 4;
}
"""


class Mutation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        (cls.place / "mutation.h").write_text(weave.HEADER)
        cls.path = str(cls.place / "small.cc")
        pathlib.Path(cls.path).write_text(SOURCE)
        resources = subprocess.check_output(["clang++", "-print-resource-dir"], text=True).strip()
        cls.arguments = ["-std=c++20", "-w", "-include", str(cls.place / "mutation.h"), "-resource-dir", resources]
        cls.mutants = places.find(cls.path, cls.arguments)
        cls.numbered = dict(enumerate(cls.mutants, 1))
        cls.woven, cls.left = weave.check(cls.path, SOURCE.encode(), cls.arguments, cls.numbered)
        (cls.place / "woven.cc").write_bytes(cls.woven)
        cls.program = cls.place / "small"
        subprocess.run(["clang++", *cls.arguments, cls.place / "woven.cc", "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def numbers(self, before, after):
        return [n for n, m in self.numbered.items() if (m.before, m.after) == (before, after)]

    def status_of(self, number):
        return subprocess.run([self.program], env={"WTOOL_MUTANT": str(number)}, timeout=10).returncode

    def one(self, before, after):
        numbers = self.numbers(before, after)
        self.assertEqual(len(numbers), 1, f"{before} -> {after}")
        self.assertIn(numbers[0], self.left)
        return numbers[0]

    def test_without_a_mutant_the_program_is_as_it_was(self):
        self.assertEqual(self.status_of(0), 0)

    def test_each_kind_of_mistake_is_made_and_shows(self):
        for kind, before, after, status in (
                ("operator", "n >= low", "(n) < (low)", 1),
                ("operator", "!inside(5, 1, 9)", "inside(5, 1, 9)", 1),
                ("check", "n < 0", "false", 2),
                ("condition", "width(\"ab\") == 2", "false", 4),
                ("constant", "3", "3 + 1", None),
                ("call", "note();", "", 3),
                ("return", "return i;", "return {};", 4),
                ("arguments", "1, 9", "9, 1", 1)):
            number = self.one(before, after) if before != "3" else self.numbers(before, after)[0]
            self.assertEqual(self.numbered[number].kind, kind)
            if status is not None:
                self.assertEqual(self.status_of(number), status, f"{before} -> {after}")

    def test_a_mistake_that_the_tests_overlook_survives(self):
        self.assertEqual(self.status_of(self.one("n <= high", "(n) < (high)")), 0)

    def test_macros_and_what_runs_while_compiling_have_no_places(self):
        self.assertFalse([m for m in self.mutants if m.line in (1, 2)])

    def test_arguments_whose_order_is_not_meant_are_not_swapped(self):
        self.assertFalse([m for m in self.mutants if m.kind == "arguments" and "calls" in m.before])

    def test_what_does_not_compile_is_dropped_and_the_rest_stays(self):
        size = self.numbers("4", "4 + 1")[0]
        self.assertEqual(self.numbered[size].line, 13)
        self.assertNotIn(size, self.left)
        self.assertGreater(len(self.left), len(self.numbered) * 0.8)

    def test_a_mutant_is_killed_by_failure_or_by_time_and_survives_otherwise(self):
        program = self.place / "test_program"
        program.write_text("#!/bin/sh\ncase $1 in 1) exit 1 ;; 2) exec sleep 600 ;; esac\n")
        program.chmod(0o755)
        ends = []
        for number in (1, 2, 3):
            made = run.Made(number, "small.cc", self.mutants[0])
            run.kill(made, [program], {program: 0.3 if number == 2 else 60}, lambda n, p: [str(p), str(n)])
            ends.append(made.end)
        self.assertEqual(ends, ["killed", "timeout", "survived"])

    def test_a_mutant_sees_the_kept_folder_below_its_own_tmp_and_cannot_write_to_it(self):
        isolate = ["bash", str(HERE / "isolate")]
        if subprocess.run([*isolate, "/", "0", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no namespaces here")
        with tempfile.TemporaryDirectory(dir="/tmp") as kept:
            (pathlib.Path(kept) / "inside").write_text("kept")
            look = f"cat {kept}/inside /tmp/.wtool-mutant; touch {kept}/new 2>/dev/null || echo refused"
            seen = subprocess.run([*isolate, kept, "7", "sh", "-c", look], capture_output=True, text=True)
            self.assertEqual((seen.stdout, seen.stderr), ("kept7\nrefused\n", ""))

    def test_a_room_has_the_files_below_its_folders_but_those_of_other_rooms(self):
        rooms = run.read_rooms("outer 75 a,b one_test\n# why\ninner 90 a/deep two_test three_test\n")
        known = ["a/x.cc", "a/x.h", "a/deep/y.cc", "a/deep/er/z.cc", "ab/q.cc", "b/c/w.cc"]
        self.assertEqual(run.files_of(rooms[0], rooms, known), ["a/x.cc", "b/c/w.cc"])
        self.assertEqual(run.files_of(rooms[1], rooms, known), ["a/deep/y.cc", "a/deep/er/z.cc"])
        self.assertEqual((rooms[1].floor, rooms[1].tests), (90.0, ["two_test", "three_test"]))

    def test_the_sample_is_shared_out_by_size_but_small_rooms_are_not_forgotten(self):
        self.assertEqual(run.shares({"large": 900, "small": 100, "tiny": 5}, 100), {"large": 90, "small": 20, "tiny": 5})

    def test_equivalents_do_not_count_and_a_room_below_its_floor_is_reported(self):
        made = [run.Made(n, "small.cc", self.mutants[0], end) for n, end in
                enumerate(["killed"] * 13 + ["timeout"] * 2 + ["survived"] * 5 + ["equivalent"] * 5)]
        self.assertEqual(run.score(made), 75.0)
        self.assertEqual(run.report([run.Room("one", 75, [], [])], {"one": made})[1], [])
        self.assertIn("75.0 %", run.report([run.Room("one", 75.1, [], [])], {"one": made})[1][0])

    def test_a_row_of_equivalents_without_a_reason_is_an_error(self):
        self.assertEqual(run.read_equivalents("# why\na.cc\tx\ty\tthe same\n"), {("a.cc", "x", "y"): "the same"})
        with self.assertRaisesRegex(SystemExit, "line 1"):
            run.read_equivalents("a.cc\tx\ty\t\n")

    def test_kept_results_are_only_given_back_for_the_same_key(self):
        store = run.Store(self.place / "results")
        self.assertIsNone(store.get("one", "a"))
        made = [run.Made(1, "small.cc", self.mutants[0], "killed", "one_test")]
        store.put("one", "a", made)
        self.assertEqual(store.get("one", "a"), made)
        self.assertIsNone(store.get("one", "b"))
        (self.place / "results/one").write_bytes(b"torn")
        self.assertIsNone(store.get("one", "a"))
        self.assertNotEqual(run.digest(b"ab", b"c"), run.digest(b"a", b"bc"))

    def test_mutants_that_were_killed_before_need_not_run_again(self):
        before = [run.Made(n, "small.cc", self.mutants[n], end, "old_test") for n, end in
                  enumerate(["killed", "timeout", "survived", "equivalent"])]
        made = [run.Made(n, "small.cc", self.mutants[n]) for n in range(4)]
        run.keep_ends(made, before)
        self.assertEqual([one.end for one in made], ["killed", "timeout", "", ""])
        fresh = [run.Made(n, "small.cc", self.mutants[n]) for n in range(4)]
        run.keep_ends(fresh, [])
        self.assertEqual([one.end for one in fresh], [""] * 4)

    def test_every_room_names_folders_and_tests_that_exist(self):
        root = HERE.parent.parent
        lists = "".join(path.read_text() for path in (root / "tests").rglob("CMakeLists.txt"))
        for room in run.read_rooms((HERE / "rooms").read_text()):
            for folder in room.folders:
                self.assertTrue((root / folder).is_dir(), folder)
            for test in room.tests:
                self.assertTrue(re.search(rf"\b{test}\b", lists) or test in ("gate_test", "keys_test", "screen_test"),
                                test)


if __name__ == "__main__":
    os.environ.pop("WTOOL_MUTANT", None)
    unittest.main()
