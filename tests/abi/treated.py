#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gangway abi diff` on the real facts says of each difference how it is treated, whichever two releases are compared.

usage: treated.py GANGWAY [--all]     --all: every two releases, not only neighbours and the oldest and newest with each; prints the slowest
"""
import itertools
import json
import os
import subprocess
import sys
import time
import unittest

GANGWAY = os.path.abspath(sys.argv[1])
ALL = "--all" in sys.argv
FAMILIES = ("cublas", "cublasLt", "cudnn")
CHANGES = ("added", "removed", "changed")


def abi(*arguments):
    return subprocess.run([GANGWAY, "abi", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def releases(family):
    known = next(f for f in json.loads(abi("list", "--json"))["families"] if f["family"] == family)
    return [release["release"] for release in known["releases"]]


class Treated(unittest.TestCase):
    def check(self, family, a, b):
        found = json.loads(abi("diff", family, a, b, "--json"))
        count = 0
        for kind, treatments in found["treatments"].items():
            for change in CHANGES:
                self.assertEqual(len(found[kind][change]), len(treatments[change]))
                for thing, how in zip(found[kind][change], treatments[change]):
                    self.assertIsNotNone(how, f"{family} {a} {b}: {kind} {change} {thing}")
                    self.assertIn(how["how"], ("unchanged", "translated", "emulated", "refused"))
                    self.assertTrue(how["note"])
                    count += 1
        return count

    def test_each_difference_has_its_treatment(self):
        for family in FAMILIES:
            known = releases(family)
            pairs = itertools.permutations(known, 2) if ALL else [
                *zip(known, known[1:]), *((known[0], b) for b in known[1:]), *((known[-1], b) for b in known[:-1])]
            self.assertGreater(sum(self.check(family, a, b) for a, b in pairs), 1000)

    def test_it_stands_behind_the_difference(self):
        # Renumbered: the same both ways.
        for a, b in (("8.9", "9.0"), ("9.0", "8.9")):
            line = next(line for line in abi("diff", "cudnn", a, b).splitlines() if "CUDNN_STATUS_BAD_PARAM " in line)
            self.assertIn("  | translated: by name", line)
        # Refused: with its status and finding.
        found = json.loads(abi("diff", "cublasLt", "11.10", "13.10", "--json"))
        added, treatments = found["functions"]["added"], found["treatments"]["functions"]["added"]
        name, how = next((thing[0], how) for thing, how in zip(added, treatments) if how["how"] == "refused")
        line = next(line for line in abi("diff", "cublasLt", "11.10", "13.10").splitlines() if line.startswith(f"  + {name}  "))
        self.assertTrue(line.endswith(f"  | refused, {how['status']}, {how['finding']}: {how['note']}"), line)

    def time_all(self):
        slowest = (0,)
        for family in FAMILIES:
            for a, b in itertools.permutations(releases(family), 2):
                start = time.perf_counter()
                abi("diff", family, a, b)
                slowest = max(slowest, (time.perf_counter() - start, family, a, b))
        print(f"slowest: {slowest[0] * 1000:.1f} ms", *slowest[1:])


if ALL:
    Treated.test_time = Treated.time_all

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
