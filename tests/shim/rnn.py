#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that was built for cuDNN 8 and uses its old RNN interface says on 9, which has none, what it says on its own release (rnn.c).

usage: rnn.py CC SHIM_DIR ROOT FAKE_DIR CUDNN_OLD CUDNN_NEW,CUDNN_NEW… WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations. The fakes lay weights out differently in 8 and 9.
"""
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, OLD, NEW, WORK = sys.argv[1:8]
OLD, NEW = os.path.join(FAKE, OLD), [os.path.join(FAKE, name) for name in NEW.split(",")]
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")


class Rnn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.program = os.path.join(WORK, "rnn")
        subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-pthread",
                        os.path.join(HERE, "rnn.c"), "-o", cls.program, "-I" + ROOT, "-I" + os.path.join(OLD, "src"),
                        "-L" + os.path.join(OLD, "lib"), "-l:libcudnn.so.8", "-lm"], check=True)
        cls.own = cls.run_program(os.path.join(OLD, "lib"))

    @classmethod
    def run_program(cls, path, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": path}, **more)
        done = subprocess.run([cls.program], capture_output=True, text=True, timeout=300, env=env)
        if done.returncode or done.stderr:
            raise AssertionError(f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}")
        return done.stdout.splitlines()

    def same(self, said):
        for number, (a, b) in enumerate(zip(said, self.own), 1):
            self.assertEqual(a, b, f"line {number}")
        self.assertEqual(len(said), len(self.own))

    def behind_a_facade(self, new, **more):
        return self.run_program(FACADES, GANGWAY_CUDNN=os.path.join(new, "lib"), **more)

    def test_the_program_computes_something(self):
        self.assertEqual(sum(line.startswith("cell ") for line in self.own), 68)
        self.assertGreater(len({line for line in self.own if line.startswith("y ")}), 100)
        for line in self.own:
            if len(line.split()) == 2 and line.split()[0] in ("inference", "training", "data"):
                self.assertEqual(line.split()[1], "0")

    def test_a_facade_gives_what_the_own_release_gives(self):
        for new in NEW:
            with self.subTest(new):
                self.same(self.behind_a_facade(new))

    def test_so_it_does_when_gangway_is_preloaded(self):
        for new in NEW:
            with self.subTest(new):
                self.same(self.behind_a_facade(new, LD_PRELOAD=PRELOAD))

    def test_a_part_that_was_built_for_an_older_8_saves_algorithms_of_the_release_that_version_questions_name(self):
        self.same(self.behind_a_facade(NEW[0], GANGWAY_BUILT_FOR="*:cudnn=8.5"))

    def test_each_old_call_is_logged_and_none_that_carries_it_is(self):
        log = os.path.join(WORK, "log")
        if os.path.exists(log):
            os.unlink(log)
        self.same(self.behind_a_facade(NEW[0], LD_PRELOAD=PRELOAD, GANGWAY_LOG=log))
        with open(log, encoding="utf-8") as lines:
            names = [record["function"] for record in map(json.loads, lines) if record["type"] == "call"]
        os.unlink(log)
        self.assertIn("cudnnRNNForwardTraining", names)
        self.assertNotIn("cudnnRNNForward", names)
        self.assertNotIn("cudnnRNNBackwardWeights_v8", names)

    def test_a_program_on_its_own_release_is_served_by_the_library(self):
        self.same(self.run_program(os.path.join(OLD, "lib"), LD_PRELOAD=PRELOAD))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
