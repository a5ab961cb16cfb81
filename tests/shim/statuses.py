#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wherever a cuDNN status travels, a program built for 8.x gets on 9.x what it gets on its own release (statuses.c).

usage: statuses.py CC SHIM_DIR ROOT FAKE_DIR CUDNN_OLD CUDNN_NEW WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, OLD, NEW, WORK = sys.argv[1:8]
OLD, NEW = os.path.join(FAKE, OLD), os.path.join(FAKE, NEW)
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")
# The same meanings in both: allocation failed, architecture mismatch, floating-point overflow, version mismatch.
OLD_STATUSES, NEW_STATUSES = (2, 6, 13, 14), (4003, 3007, 1007, 1002)


class Statuses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.program = os.path.join(WORK, "statuses")
        subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations",
                        os.path.join(HERE, "statuses.c"), "-o", cls.program, "-I" + ROOT, "-I" + os.path.join(OLD, "src"),
                        "-L" + os.path.join(OLD, "lib"), "-l:libcudnn.so.8", "-ldl"], check=True)
        cls.own = cls.run_on_own()

    @classmethod
    def run_program(cls, path, seams, statuses, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": path}, **more)
        done = subprocess.run([cls.program, *seams, *map(str, statuses)], capture_output=True, text=True, timeout=120, env=env)
        if done.returncode or done.stderr:
            raise AssertionError(f"{done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout.splitlines()

    @classmethod
    def run_on_own(cls, **more):
        lib = os.path.join(OLD, "lib")
        return cls.run_program(lib, [os.path.join(lib, n) for n in ("libcudnn.so.8", "libcudnn_ops_infer.so.8")], OLD_STATUSES, **more)

    def behind_a_facade(self, **more):
        lib = os.path.join(NEW, "lib")
        return self.run_program(FACADES, [os.path.join(lib, n) for n in ("libcudnn.so.9", "libcudnn_graph.so.9")], NEW_STATUSES, GANGWAY_CUDNN=lib, **more)

    def test_the_program_sees_statuses_of_its_own_release(self):
        text = "\n".join(self.own)
        for expected in "cudnnFindConvolutionBackwardFilterAlgorithmEx asked 4: 3, -1", "\t3 9 -1 0", "14 CUDNN_STATUS_VERSION_MISMATCH", \
                        "15 CUDNN_UNKNOWN_STATUS", "query: 0 13", "status 13, version 8907", "mask 7, own, first", "mask 1, own, n199":
            self.assertIn(expected, text)

    def test_a_facade_gives_what_the_own_release_gives(self):
        self.assertEqual(self.behind_a_facade(), self.own)

    def test_so_it_does_when_gangway_is_preloaded(self):
        self.assertEqual(self.behind_a_facade(LD_PRELOAD=PRELOAD), self.own)

    def test_so_it_does_when_calls_are_logged(self):
        log = os.path.join(WORK, "log")
        self.assertEqual(self.behind_a_facade(LD_PRELOAD=PRELOAD, GANGWAY_LOG=log), self.own)

    def test_a_program_on_its_own_release_is_told_what_the_library_says(self):
        self.assertEqual(self.run_on_own(LD_PRELOAD=PRELOAD), self.own)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
