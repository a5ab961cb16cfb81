#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cublasLt's algorithms for programs of older releases: what they read is within their headers' ranges, and works when they write it back.

usage: algorithms.py CC SHIM_DIR ROOT FAKE_DIR TARGET CALLER… -- WORK_DIR
Each is the name of a fake release in FAKE_DIR; algorithms.c, compiled for each CALLER, runs on TARGET behind a facade, and on its own release.
"""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, TARGET = sys.argv[1:6]
CALLERS, WORK = sys.argv[6:-2], sys.argv[-1]
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")


def lib(name):
    return os.path.join(FAKE, name, "lib")


def soname(name):
    return "libcublasLt.so." + name.split("-")[1].split(".")[0]


class Algorithms(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.programs = {}
        for name in [*CALLERS, TARGET]:
            cls.programs[name] = os.path.join(WORK, "algorithms-" + name)
            subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", os.path.join(HERE, "algorithms.c"),
                            "-o", cls.programs[name], "-I" + ROOT, "-I" + os.path.join(FAKE, name, "src"), "-L" + lib(name), "-l:" + soname(name)], check=True)

    def run_program(self, name, *arguments, path, findings=(), **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": path}, **more)
        done = subprocess.run([self.programs[name], *arguments], capture_output=True, text=True, timeout=120, env=env)
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        registry.check(done.stderr)
        self.assertEqual([line.split()[2].rstrip(":") for line in done.stderr.splitlines()], list(findings), done.stderr)
        return done.stdout

    def own(self, name, *arguments):
        return self.run_program(name, *arguments, path=lib(name))

    def behind(self, name, *arguments, findings=(), preload=PRELOAD, target=TARGET):
        return self.run_program(name, *arguments, path=FACADES, findings=findings, GANGWAY_CUBLAS=lib(target), LD_PRELOAD=preload)

    def products(self, text):
        return {line.split(":", 1)[1] for line in text.splitlines() if ": status" in line and line.count(" ") > 10}

    def test_what_is_read_is_within_the_header_and_works_when_it_is_written_back(self):
        for name in CALLERS:
            with self.subTest(name):
                own = self.own(name, "rebuild")
                self.assertNotIn("UNKNOWN", own)
                self.assertEqual(len(self.products(own)), 1)
                self.assertEqual(self.behind(name, "rebuild"), own)
                self.assertEqual(self.behind(name, "rebuild", preload=""), own)

    def test_lists_hold_what_the_header_names_and_dropped_capabilities_are_answered(self):
        for name in CALLERS:
            with self.subTest(name):
                own = self.own(name, "lists")
                self.assertIn("beyond the header 0", own)
                self.assertEqual(self.behind(name, "lists"), own)

    def test_capabilities_that_the_loaded_release_lacks_are_not_supported(self):
        for name in CALLERS:
            lines = self.behind(name, "newer").splitlines()
            self.assertIn("result 2", lines)
            for line in lines:
                if "atomic" in line:
                    self.assertEqual(line, "  atomic: status 0 0, 4 4 bytes, 00000000 00000000")

    def test_shapes_are_read_as_they_were_written(self):
        for name in CALLERS:
            with self.subTest(name):
                self.assertEqual(self.behind(name, "shapes"), self.own(name, "shapes"))
                self.assertEqual(self.behind(name, "shapes", preload=""), self.own(name, "shapes"))

    def test_errors_are_those_of_the_own_release(self):
        for name in CALLERS:
            with self.subTest(name):
                self.assertEqual(self.behind(name, "errors"), self.own(name, "errors"))

    def test_settings_that_were_kept_as_ids_mean_the_same_in_another_process(self):
        for name in CALLERS:
            with self.subTest(name):
                file = os.path.join(WORK, "kept-" + name)
                self.behind(name, "save", file)
                built = self.products(self.behind(name, "build", file))
                self.assertEqual(built, self.products(self.own(name, "rebuild")))

    def test_algorithms_of_another_release_are_replaced_and_told_once(self):
        for name in CALLERS:
            with self.subTest(name):
                file = os.path.join(WORK, "foreign-" + name)
                self.own(name, "save", file)
                own = self.own(name, "load", file)
                self.assertEqual(len(self.products(own)), 1)
                self.assertEqual(self.behind(name, "load", file, findings=["GW-313"]), own)
                self.assertEqual(self.behind(name, "load", file, findings=["GW-313"], preload=""), own)

    def test_algorithms_of_this_very_library_that_were_kept_are_used_as_they_are(self):
        for name in CALLERS:
            with self.subTest(name):
                file = os.path.join(WORK, "native-" + name)
                self.behind(name, "save", file)
                self.assertEqual(self.products(self.behind(name, "load", file)), self.products(self.own(name, "rebuild")))

    def test_bytes_that_no_library_made_are_replaced_too(self):
        for name in CALLERS:
            with self.subTest(name):
                expected = self.products(self.own(name, "rebuild"))
                self.assertEqual(self.products(self.behind(name, "garbage", findings=["GW-313"])), expected)

    def test_settings_that_an_older_library_has_no_name_for_are_not_shown_to_it(self):
        own = self.own(TARGET, "newest")
        self.assertEqual(len(self.products(own)), 1)
        for name in CALLERS:
            with self.subTest(name):
                told = self.behind(TARGET, "newest", findings=["GW-313"], target=name)
                self.assertEqual(told.splitlines()[0], "newest: check 7")
                self.assertEqual(self.products(told), self.products(own))

    def test_a_program_on_its_own_release_is_answered_by_the_library_alone(self):
        for name in CALLERS:
            for case in "rebuild", "lists", "newer", "errors", "garbage", "masks":
                with self.subTest(name, case=case):
                    self.assertEqual(self.run_program(name, case, path=lib(name), LD_PRELOAD=PRELOAD, GANGWAY_RESCUE="off"), self.own(name, case))

    def test_what_is_no_algorithm_at_all_is_replaced_on_the_own_release_too(self):
        for name in CALLERS:
            with self.subTest(name):
                told = self.run_program(name, "garbage", path=lib(name), LD_PRELOAD=PRELOAD, findings=["GW-390"])
                self.assertEqual(self.products(told), self.products(self.own(name, "rebuild")))

    def test_masks_that_only_11_has_leave_of_the_heuristics_results_what_they_left_there(self):
        for name in CALLERS:
            with self.subTest(name):
                self.assertEqual(self.behind(name, "masks"), self.own(name, "masks"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
