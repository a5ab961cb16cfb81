#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the library refuses and gangway does otherwise, on fake libraries that compute: every number, memory that runs out, captures, threads.

usage: rescue.py CC SHIM_DIR ROOT OLD_DIR NEW_DIR LIBCUDA WORK_DIR [SANITIZER]
OLD_DIR and NEW_DIR are fake releases: the program is compiled for the one and runs on the other, behind a facade.
"""
import hashlib
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "findings"))
import registry  # noqa: E402

CC, SHIM, ROOT, OLD, NEW, LIBCUDA, WORK = sys.argv[1:8]
SANITIZER = sys.argv[8] if len(sys.argv) > 8 else ""
FACADES = os.path.join(SHIM, "facades")
KERNELS = os.path.join(ROOT, "shim", "kernels")


def soname(directory):
    return next(n for n in sorted(os.listdir(os.path.join(directory, "lib"))) if n.startswith("libcublasLt.so."))


class Rescue(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.program = os.path.join(WORK, "rescue")
        sanitize = ["-fsanitize=" + SANITIZER] if SANITIZER else []
        subprocess.run([*CC.split(), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", *sanitize, os.path.join(HERE, "rescue.c"),
                        "-o", cls.program, "-I" + ROOT, "-I" + os.path.join(OLD, "src"), "-L" + os.path.join(OLD, "lib"), "-l:" + soname(OLD),
                        LIBCUDA, "-Wl,--allow-shlib-undefined", "-ldl", "-lm"], check=True)

    def run_program(self, *arguments, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update(LD_LIBRARY_PATH=FACADES + ":" + os.path.dirname(LIBCUDA), GANGWAY_CUBLAS=os.path.join(NEW, "lib"), **more)
        if SANITIZER:
            env.update(ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", TSAN_OPTIONS="halt_on_error=1:die_after_fork=0")
        done = subprocess.run([self.program, os.path.join(NEW, "lib", soname(NEW)), *arguments], capture_output=True, text=True, timeout=600, env=env)
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        return done.stdout, registry.check(done.stderr), done.stderr

    def test_every_order_is_exact_and_each_place_that_calls_is_told_once(self):
        out, told, text = self.run_program("orders")
        self.assertEqual(out, "880 of 880 exact\n")
        self.assertEqual(sorted(set(told)), ["GW-390"])
        self.assertEqual(len(told), 2, text)    # one call in the program, two rescues
        self.assertIn("COL32 x COL4_4R2_8C", text)

    def test_memory_that_runs_out_leaves_the_librarys_own_answer_and_nothing_behind(self):
        out, told, _ = self.run_program("memory")
        self.assertEqual(out, "refused 4 times, then exact\nrefused 4 times, then exact\n")
        self.assertIn("GW-391", told)

    def test_captures_are_not_ended_and_keep_what_they_use(self):
        out, _, _ = self.run_program("capture")
        self.assertEqual(out.splitlines(), [
            "first met in a capture: 15, changed 0, loads 0, allocated 0",
            "before a capture: 0",
            "while the block is in use: 15",
            "afterwards: 0",
            "again in the same capture: 0",
            "too big for it: 15",
            "another stream, while one captures: 0, allocated 2",
            "the legacy stream, while one captures: 15",
            "the handle is gone, the graph is not: allocated 1",
            "the graph is gone, its block in another capture: 0, allocated 1",
            "all gone: allocated 0, violations 0"])

    def test_another_algorithm_or_the_aligned_part_of_a_workspace_does_it(self):
        cases = ("as it should be", "less workspace than was told", "not aligned, big enough", "not aligned, too small for the algorithm then",
                 "not aligned, nothing of it can be used", "not aligned, no algorithm", "no algorithm, and the library's own choice needs workspace")
        out, told, text = self.run_program("algorithms")
        self.assertEqual(out.splitlines(), [f"{case}: 0" for case in cases])
        self.assertEqual(told, ["GW-390", "GW-390"], text)
        out, told, _ = self.run_program("algorithms", GANGWAY_RESCUE="off")
        self.assertEqual(out.splitlines(), [f"{case}: {0 if i == 0 else 7}" for i, case in enumerate(cases)])
        self.assertEqual(told, [])

    def test_four_threads_on_four_streams_do_not_disturb_each_other(self):
        out, _, _ = self.run_program("threads")
        self.assertEqual(out.splitlines(), ["0 wrong of 240", "at most 16 blocks: yes", "allocated 0, events 0"])

    def test_disabled_it_is_the_librarys_own_answer(self):
        out, told, _ = self.run_program("once", GANGWAY_DISABLE="1")
        self.assertEqual((out, told), ("status 15\n", []))

    def test_the_policy_says_what_is_done_otherwise_and_the_environment_has_the_last_word(self):
        policy = os.path.join(WORK, "policy")
        for rescue, text, status, told in (
                ("off", None, 15, []),
                ("-int8-order", None, 15, []),
                ("-alignment", None, 0, ["GW-390"]),
                ("int8-order", None, 0, ["GW-390"]),
                ("alignment", None, 15, []),
                ("lost", None, 0, ["GW-392", "GW-390"]),
                ("", "rescue * off\n", 15, []),
                ("on", "rescue * off\n", 0, ["GW-390"]),
                ("", "rescue * off arch=80\n", 0, ["GW-390"]),
                ("", "rescue * off arch=90 release=13.10 m=1..200 n=1..200 k=1..200 batch=1 family=cublasLt function=cublasLtMatmul\n", 15, []),
                ("", "rescue * off release=..13.9\n", 0, ["GW-390"]),
                ("", "rescue * off\nrescue int8-order on m=1..\n", 0, ["GW-390"]),
                ("", "rescue * off\nrescue nobody on\n", 0, ["GW-392", "GW-390"])):
            more = {"GANGWAY_RESCUE": rescue}
            if text:
                with open(policy, "w", encoding="utf-8") as file:
                    file.write(text)
                more["GANGWAY_POLICY"] = policy
            out, codes, _ = self.run_program("once", **more)
            self.assertEqual((out, codes), (f"status {status}\n", told), (rescue, text))
        self.assertEqual(self.run_program("once", GANGWAY_POLICY="/nowhere")[1], ["GW-392", "GW-390"])

    def test_a_denied_algorithm_is_told_and_where_the_policy_says_so_replaced(self):
        policy = os.path.join(WORK, "denied")
        for text, used, told in (("deny 2 warn", 2, ["GW-393"]), ("deny 2 skip", 1, ["GW-393"]), ("deny 2 skip arch=80", 2, []), ("deny 3 skip", 2, []),
                                 ("deny 2 skip\ndeny 1 skip", 0, ["GW-393"]), ("deny 2 skip\ndeny 2 off", 2, [])):
            with open(policy, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            out, codes, _ = self.run_program("denied", GANGWAY_POLICY=policy)
            self.assertEqual((out, codes), (f"0: {used} for 2\n", told), text)

    def test_the_kernels_text_is_that_of_their_sources(self):
        digest = hashlib.sha256()
        for name in ("int8.cu", "int8.h"):
            with open(os.path.join(KERNELS, name), "rb") as file:
                digest.update(file.read())
        with open(os.path.join(KERNELS, "int8.ptx"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.search(r"[0-9a-f]{64}", text).group(), digest.hexdigest(), "run shim/kernels/make-ptx")
        self.assertIn(".target sm_70\n", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
