#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""abigen on abi/measured: it accepts what was measured, says where a bad line is, and writes nothing then.

usage: measured.py ABIGEN ABI-DIRECTORY
"""
import os
import subprocess
import sys
import tempfile
import unittest

ABIGEN, ABI = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DESC, LAYOUT = "cublasLtMatmulDescAttributes_t", "cublasLtMatrixLayoutOpaque_t"
BLOCK = f"block\t{LAYOUT}\t112\t38:1\t0-13\t-\t13.2.2.2..\tx"
# A line, where and why it is refused.
BAD = [
    (f"attribute\t{DESC}\t0\t4\t44000000\t11.10.3.66..\tx\tx\tx", ":1:", "more columns than any line has"),
    (f"attribute\t{DESC}\t0\t4\t44000000\t11.10.3.66..", ":1:1:", "expected `attribute` with 7 columns or `block` with 8"),
    ("attributes\ta\tb\tc\td\te\tf", ":1:1:", "expected `attribute` with 7 columns or `block` with 8"),
    ("attribute\tcublasStatus_t\t0\t4\t44000000\t11.10.3.66..\tx", ":1:11:", "'cublasStatus_t' is no kind of block"),
    (f"attribute\t{DESC}\t64\t4\t44000000\t11.10.3.66..\tx", ":1:42:", "expected a number from 0 to 63"),
    (f"attribute\t{DESC}\t0\t16\t44000000\t11.10.3.66..\tx", ":1:44:", "expected a number from 0 to 8"),
    (f"attribute\t{DESC}\t0\t4\t4400000\t11.10.3.66..\tx", ":1:46:", "expected 4 bytes in hexadecimal, or '-'"),
    (f"attribute\t{DESC}\t0\t4\t4400000G\t11.10.3.66..\tx", ":1:46:", "expected 4 bytes in hexadecimal, or '-'"),
    (f"attribute\t{DESC}\t0\t4\t44000000\t11.9..\tx", ":1:55:", "release '11.9' has no `release` line"),
    (f"attribute\t{DESC}\t0\t4\t44000000\t11.10.3.66..\tx\nattribute\t{DESC}\t0\t8\t-\t13.0.0.19\tx", ":2:48:",
     "a line above says otherwise of one of these releases"),
    (f"attribute\t{DESC}\t0\t4\t44000000\t11.10.3.66\tx\nattribute\t{DESC}\t0\t4\t45000000\t13.0.0.19\tx", ":2:46:",
     "an attribute whose default changes is not treated"),
    (f"attribute\t{DESC}\t1\t4\t-\t11.10.3.66\tx\nattribute\t{DESC}\t0\t4\t-\t13.0.0.19\tx", ":2:42:", "lines are sorted by attribute"),
    (BLOCK.replace("38:1", "38"), ":1:40:", "expected OFFSET:VALUE, or '-'"),
    (BLOCK.replace("38:1", "38:1x"), ":1:40:", "'x' after the value"),
    (BLOCK.replace("0-13", "0-13;"), ":1:45:", "expected ',' between attributes"),
    (BLOCK.replace("38:1", "-").replace("\t-\t13", "\t9\t13"), ":1:", "attributes beyond a block that nothing tells from a larger one"),
    (BLOCK.replace("\t-\t13", "\t9\t13"), ":1:", "the release's own block lacks attributes"),
    (f"block\t{LAYOUT}\t64\t38:0\t0-8\t9-13\t13.2.2.2..\tx", ":", "no block of the size that cublasLtMatrixLayoutOpaque_t has in release 13.2.2.2"),
]


class Measured(unittest.TestCase):
    def abigen(self, text):
        with tempfile.TemporaryDirectory(prefix="gangway-measured-") as folder:
            path = f"{folder}/measured.abi"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([ABIGEN, "--facts", f"{ABI}/facts", "--treatment", f"{ABI}/treatment", "--changes", f"{ABI}/changes",
                                   "--measured", path, "--out", folder], stderr=subprocess.PIPE, text=True, check=False)
            written = os.path.getsize(f"{folder}/gw_fn.h") if os.path.exists(f"{folder}/gw_fn.h") else 0
            return done, written, path

    def test_what_was_measured_is_accepted(self):
        with open(f"{ABI}/measured/cublasLt.abi", encoding="utf-8") as file:
            done, written, _ = self.abigen(file.read())
        self.assertEqual((done.returncode, done.stderr, written > 0), (0, "", True))

    def test_a_bad_line_is_refused_with_its_place_and_nothing_is_written(self):
        for line, place, why in BAD:
            with self.subTest(line):
                done, written, path = self.abigen(line + "\n")
                self.assertEqual((done.returncode, written), (1, 0), done.stderr)
                self.assertTrue(done.stderr.startswith(path + place), done.stderr)
                self.assertIn(why, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
