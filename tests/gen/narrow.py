#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""abigen's `narrow` lines on a small database: what gw_narrow.c and gw_values.h hold, byte for byte, and what is said of what cannot be
narrowed. GANGWAY_UPDATE_GOLDEN=1 writes the expected files anew.

usage: narrow.py ABIGEN FOLDER
"""
import os
import subprocess
import sys
import tempfile
import unittest

ABIGEN, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
RUN_64 = "function\tgammaRun_64\tgammaStatus_t\thandle: gammaHandle_t, n: int64_t, x: const float *, "


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


class Narrow(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def generate(self, file=None, old="", new=""):
        for name in "gamma.abi", "treatment", "changes":
            text = read(FOLDER, name)
            if name == file:
                self.assertEqual(text.count(old), 1)
                text = text.replace(old, new)
            with open(os.path.join(self.directory.name, name), "w", encoding="utf-8") as out:
                out.write(text)
        return subprocess.run([ABIGEN, "--facts", ".", "--treatment", "treatment", "--changes", "changes", "--out", ".", "--version", "narrow"],
                              cwd=self.directory.name, capture_output=True, text=True)

    def refused(self, said, *change):
        done = self.generate(*change)
        self.assertEqual((done.returncode, done.stderr), (1, said + "\n"))
        self.assertFalse(os.path.exists(os.path.join(self.directory.name, "gw_narrow.c")))

    def test_what_is_written(self):
        done = self.generate()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in "gw_narrow.c", "gw_values.h", "functions.md", "translations.txt":
            got, path = read(self.directory.name, name), os.path.join(FOLDER, "expected", name)
            if os.environ.get("GANGWAY_UPDATE_GOLDEN"):
                with open(path, "w", encoding="utf-8") as out:
                    out.write(got)
            self.assertEqual(got, read(path), name)

    def test_a_function_with_a_line_of_its_own_is_left_to_it(self):
        self.assertEqual(self.generate("treatment", "narrow", "method gamma gammaAsk_64 new\nnarrow").returncode, 0)
        self.assertNotIn("gammaAsk_64", read(self.directory.name, "gw_narrow.c"))

    def test_an_array_cannot_be_narrowed(self):
        self.refused("./gamma.abi:13:36: gammaRun_64: parameter 'n' is 'const int64_t *' here and 'int' in 'gammaRun', which cannot be narrowed: "
                     "add a `method` line of its own", "gamma.abi", RUN_64, RUN_64.replace("int64_t", "const int64_t[]"))

    def test_what_is_read_through_a_pointer_cannot_be_narrowed(self):
        self.refused("./gamma.abi:11:36: gammaAsk_64: parameter 'last' is 'const int64_t *' here and 'int *' in 'gammaAsk', which cannot be "
                     "narrowed: add a `method` line of its own", "gamma.abi", "last: int64_t *", "last: const int64_t *")

    def test_another_type_cannot_be_narrowed(self):
        self.refused("./gamma.abi:13:36: gammaRun_64: parameter 'x' is 'const double *' here and 'const float *' in 'gammaRun', which cannot be "
                     "narrowed: add a `method` line of its own", "gamma.abi", RUN_64, RUN_64.replace("float", "double"))

    def test_another_number_of_parameters_cannot_be_narrowed(self):
        self.refused("./gamma.abi:13:36: gammaRun_64 cannot be narrowed to 'gammaRun': add a `method` line of its own", "gamma.abi", RUN_64,
                     RUN_64 + "more: int, ")

    def test_a_function_without_a_namesake_cannot_be_narrowed(self):
        self.refused("treatment:4:14: there is no function 'gammaAs' that 'gammaAsk' could be narrowed to: add a `method` line of its own",
                     "treatment", "_64", "k")

    def test_a_suffix_of_no_function_is_refused(self):
        self.refused("treatment:4:14: no function of family 'gamma' ends in '_65'", "treatment", "_64", "_65")

    def test_a_constant_that_moved_is_refused(self):
        self.refused("treatment:4:23: 'GAMMA_STATUS_LATE' is not the same in all releases", "treatment", "else GAMMA_STATUS_NO",
                     "else GAMMA_STATUS_LATE")

    def test_an_unknown_constant_is_refused(self):
        self.refused("treatment:4:23: unknown constant 'GAMMA_STATUS_NONE'", "treatment", "else GAMMA_STATUS_NO", "else GAMMA_STATUS_NONE")

    def test_an_unknown_family_is_refused(self):
        self.refused("treatment:4:8: family 'gmama' has no `bridge` line", "treatment", "narrow gamma", "narrow gmama")

    def test_a_line_without_else_is_refused(self):
        self.refused("treatment:4:18: 'or' stands where `else` belongs", "treatment", "else", "or")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
