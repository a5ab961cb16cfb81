#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a library of the caller's own soname can answer, it answers, whichever release the caller was built for (passed.c).

usage: passed.py CC SHIM_DIR ROOT FAKE_DIR CUDNN_8 CUDNN_9 WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, *NAMES, WORK = sys.argv[1:8]
PRELOAD = os.path.join(SHIM, "libgangway.so")
OLDER = {"8": "8.5", "9": "9.0"}
MISMATCH = {"8": "14", "9": "1002"}


class Passed(unittest.TestCase):
    def said(self, name, major, **more):
        lib, program = os.path.join(FAKE, name, "lib"), os.path.join(WORK, name)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": lib, **more})
        done = subprocess.run([program, os.path.join(lib, f"libcudnn.so.{major}"), MISMATCH[major]], capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_what_the_library_says_reaches_a_caller_of_an_older_release(self):
        os.makedirs(WORK, exist_ok=True)
        for name in NAMES:
            major = name.split("-")[1].split(".")[0]
            subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", os.path.join(HERE, "passed.c"),
                            "-o", os.path.join(WORK, name), "-I" + ROOT, "-I" + os.path.join(FAKE, name, "src"), "-L" + os.path.join(FAKE, name, "lib"),
                            f"-l:libcudnn.so.{major}", "-ldl"], check=True)
            own = self.said(name, major)
            self.assertIn("clip 0: 1 0 -1 1", own)
            self.assertEqual("check 14 0" in own, major == "8")
            self.assertEqual(self.said(name, major, LD_PRELOAD=PRELOAD, GANGWAY_BUILT_FOR="*:cudnn=" + OLDER[major]), own)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
