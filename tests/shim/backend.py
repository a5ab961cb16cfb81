#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graph interface of cuDNN between releases, on fake libraries (backend.c): a program says what it says on its own release.

usage: backend.py CC SHIM_DIR ROOT FAKE_DIR CUDNN_8 CUDNN_EARLY CUDNN_LATE CUDNN_NEWEST WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations. EARLY numbers an attribute otherwise than LATE; NEWEST has a longer graph.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, *NAMES, WORK = sys.argv[1:10]
EIGHT, EARLY, LATE, NEWEST = NAMES
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")


def release_of(name):
    return name.split("-", 1)[1]


def lib(name):
    return os.path.join(FAKE, name, "lib")


def first_release_with(constant):
    with open(os.path.join(ROOT, "abi/facts/cudnn.abi"), encoding="utf-8") as file:
        row = next(line.split("\t") for line in file if line.startswith("enum\t") and line.split("\t")[2] == constant)
    return row[4].split(",")[0].split("..")[0]


class Backend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        for name in NAMES:
            for odd in (), ("-DODD",):
                src = os.path.join(FAKE, name, "src")
                subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", *odd,
                                os.path.join(HERE, "backend.c"), "-o", cls.program(name, odd), "-I" + ROOT, "-I" + src, "-L" + lib(name),
                                f"-l:libcudnn.so.{release_of(name).split('.')[0]}"], check=True)

    @staticmethod
    def program(name, odd=()):
        return os.path.join(WORK, name + ("-odd" if odd else ""))

    def run_on(self, name, path, odd=(), **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": path, **more})
        done = subprocess.run([self.program(name, odd)], capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        registry.check(done.stderr)
        return done.stdout.splitlines(), done.stderr

    def own(self, name, odd=()):
        out, errors = self.run_on(name, lib(name), odd)
        self.assertEqual(errors, "")
        return out

    def on_newer(self, name, odd=(), told=True, **more):
        if told:
            more["GANGWAY_BUILT_FOR"] = "*:cudnn=" + release_of(name)
        return self.run_on(name, lib(NEWEST), odd, LD_PRELOAD=PRELOAD, **more)

    def test_a_program_of_a_known_older_release_says_what_it_says_on_its_own(self):
        self.assertNotEqual(self.run_on(EARLY, lib(NEWEST))[0], self.own(EARLY), "else nothing is shown here")
        for name in EARLY, LATE:
            self.assertEqual(self.on_newer(name), (self.own(name), ""))

    def test_behind_a_facade_it_does_without_being_told(self):
        for preload in PRELOAD, "":
            self.assertEqual(self.run_on(EIGHT, FACADES, GANGWAY_CUDNN=lib(NEWEST), LD_PRELOAD=preload), (self.own(EIGHT), ""))

    def test_of_an_unknown_release_the_type_tells_a_moved_attribute_and_lists_are_whole(self):
        mine, (out, errors) = self.own(EARLY), self.on_newer(EARLY, told=False)
        newest = self.run_on(EARLY, lib(NEWEST))[0]
        self.assertEqual(errors, "")
        self.assertIn("cached: 0 1 1", mine)
        for line, own, raw in zip(out, mine, newest, strict=True):
            self.assertEqual(line, own if line.startswith("cached") else raw)
        self.assertNotIn("cached: 0 1 1", newest)

    def test_on_its_own_release_nothing_is_treated(self):
        for name in EARLY, LATE, NEWEST:
            for more in {}, {"GANGWAY_BUILT_FOR": "*:cudnn=" + release_of(name)}:
                self.assertEqual(self.run_on(name, lib(name), ("-DODD",), LD_PRELOAD=PRELOAD, **more), (self.own(name, ("-DODD",)), ""))

    def test_a_knob_that_is_not_the_last_is_passed_on_and_told(self):
        out, errors = self.on_newer(EARLY, ("-DODD",))
        raw = self.run_on(EARLY, lib(NEWEST), ("-DODD",))[0]
        knobs = [line for line in out if line.startswith("knobs")]
        self.assertEqual(knobs[0], [line for line in self.own(EARLY) if line.startswith("knobs")][0])
        self.assertEqual(knobs[1], [line for line in raw if line.startswith("knobs")][1])
        self.assertEqual(re.findall(r"GW-\d+", errors), ["GW-321"], errors)

    def test_what_an_older_release_lacks_is_told_with_the_first_that_has_it(self):
        for more in {}, {"GANGWAY_BUILT_FOR": "*:cudnn=" + release_of(NEWEST)}:
            out, errors = self.run_on(NEWEST, lib(EARLY), LD_PRELOAD=PRELOAD, **more)
            for constant in "CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR", "CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH":
                self.assertRegex(errors, rf"GW-322: {constant} does not exist in \S+ \(cudnn {release_of(EARLY)} or near it\), which refused it; the first "
                                 rf"release that has it is {first_release_with(constant)};")
            self.assertEqual(sorted(re.findall(r"GW-\d+", errors)), ["GW-303", "GW-322", "GW-322"], errors)
            self.assertIn("cached: 0 1 1", out)
            self.assertIn("graph of a cache: 3000", out)
            self.assertIn("sdpa: none", out)

    def test_a_shorter_graph_is_never_read_beyond(self):
        self.assertIn("sums: 0: 5 50 2 20", self.own(LATE))
        bare = subprocess.run([self.program(LATE)], env={"LD_LIBRARY_PATH": lib(NEWEST)}, capture_output=True, timeout=60)
        self.assertEqual(bare.returncode, -11, "else the test shows nothing")
        for told in True, False:
            self.assertIn("sums: 0: 5 50 2 20", self.on_newer(LATE, told=told)[0])
        self.assertIn("sums: 0: 5 50 2 20", self.run_on(NEWEST, lib(LATE), LD_PRELOAD=PRELOAD)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
