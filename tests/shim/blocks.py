#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks of cublasLt that parts built for different releases hand to each other, on the fake libraries. One process a case (blocks.c).

usage: blocks.py CC SHIM_DIR FAKE_DIR OLD NEW NEWEST OLDER WORK_DIR
FAKE_DIR/NAME has the fake release NAME of cublas: majors 11, 12 and 13, and an older one of 13. The parts for OLD and NEW find facades, which
forward to NEWEST.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, FAKE, *RELEASES = sys.argv[1:7]
OLDER, WORK = os.path.join(FAKE, sys.argv[7], "lib"), sys.argv[8]
TARGET = os.path.join(FAKE, RELEASES[2], "lib")


def compile_to(output, source, *flags):
    os.makedirs(os.path.dirname(output), exist_ok=True)
    subprocess.run([*CC.split(), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", os.path.join(HERE, source), "-o", output,
                    *flags], check=True)
    return output


class Blocks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = compile_to(os.path.join(WORK, "blocks"), "blocks.c", "-ldl")
        cls.parts = []
        for release in RELEASES:
            root = os.path.join(FAKE, release)
            library = next(os.path.join(root, "lib", name) for name in os.listdir(os.path.join(root, "lib")) if name.startswith("libcublasLt.so."))
            cls.parts.append(compile_to(os.path.join(WORK, release + ".so"), "blocks_part.c", "-shared", "-fPIC", "-fno-optimize-sibling-calls",
                                        "-I", os.path.join(root, "src"), "-I", os.path.dirname(os.path.dirname(HERE)),
                                        library))

        # The oldest part again, as a part of cuDNN 8: one of the vendor's own libraries.
        script = os.path.join(WORK, "vendor.map")
        with open(script, "w", encoding="utf-8") as to:
            to.write("libcudnn_cnn_infer.so.8 { global: part; local: *; };\n")
        root = os.path.join(FAKE, RELEASES[0])
        cls.vendors = compile_to(os.path.join(WORK, "vendor.so"), "blocks_part.c", "-shared", "-fPIC", "-fno-optimize-sibling-calls", "-I",
                                 os.path.join(root, "src"), "-I", os.path.dirname(os.path.dirname(HERE)), "-Wl,--version-script=" + script,
                                 os.path.join(root, "lib", "libcublasLt.so.11"))

    def run_case(self, case, findings=(), target=TARGET, parts=None, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update(LD_PRELOAD=os.path.join(SHIM, "libgangway.so"), LD_LIBRARY_PATH=target + ":" + os.path.join(SHIM, "facades"),
                   GANGWAY_CUBLAS=target, **more)
        done = subprocess.run([self.program, case, *(parts or self.parts)], capture_output=True, text=True, timeout=300, env=env)
        registry.check(done.stderr)
        if isinstance(findings, str):
            self.assertRegex(done.stderr, findings)
            findings = re.findall(r"GW-\d+", done.stderr)
        told = [line.split(": ")[1].split()[-1] for line in done.stderr.splitlines() if line.startswith("gangway: ")]
        self.assertEqual((done.returncode, sorted(told)), (0, sorted(findings)), done.stderr)
        return done.stdout

    def test_a_block_that_is_too_small_takes_what_a_later_part_sets_and_copies_are_copies(self):
        self.run_case("small")

    def test_a_layout_is_never_written_beyond_its_size(self):
        self.run_case("layouts")

    def test_whatever_takes_a_block_takes_one_that_needed_more_and_computes_the_same(self):
        self.run_case("used")

    def test_preferences_of_11_are_set_and_read_as_on_11(self):
        self.run_case("preferences")

    def test_what_is_of_the_vendors_and_as_old_gets_what_it_was_built_for_too(self):
        self.run_case("preferences", parts=[self.vendors, *self.parts[1:]])
        own = self.run_case("masks")
        self.assertEqual(self.run_case("masks", parts=[self.vendors, *self.parts[1:]]), own)

    def test_masks_of_11_choose_as_on_11(self):
        own = subprocess.run([self.program, "masks", *self.parts], stdout=subprocess.PIPE, text=True, check=True,
                             env={**os.environ, "LD_LIBRARY_PATH": ":".join(os.path.join(FAKE, release, "lib") for release in RELEASES)}).stdout
        self.assertGreater(len({line.split(": ")[1] for line in own.splitlines()}), 2, own)
        self.assertEqual(self.run_case("masks"), own)
        self.assertEqual(self.run_case("masks", target=os.path.join(FAKE, RELEASES[1], "lib")), own)

    def test_a_number_that_was_used_again_means_what_its_caller_means(self):
        self.run_case("reused")

    def test_a_product_that_must_wait_is_refused_and_told_of_once(self):
        self.run_case("atomic", ["GW-314"])

    def test_what_is_no_longer_kept_is_refused_and_told_of(self):
        self.run_case("dropped", ["GW-312", "GW-312"])    # one of SetAttribute, one of GetAttribute

    def test_a_part_that_is_newer_than_the_library_may_set_defaults_and_is_told_what_is_missing(self):
        told = "GW-311: CUBLASLT_MATMUL_DESC_BATCH_INVARIANCE_FLAGS does not exist in .*; the first release that has it is 13.8.2.12"
        self.run_case("newer", told, OLDER, GANGWAY_BUILT_FOR="*:cublasLt=" + RELEASES[2].split("-")[1])
        self.run_case("maybe newer", told, OLDER)
        for release in RELEASES[:2]:    # through a facade
            self.run_case("newer", told, os.path.join(FAKE, release, "lib"))

    def test_threads_do_not_meet(self):
        self.run_case("threads")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
