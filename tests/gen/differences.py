#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No difference between releases goes untreated: abigen accepts the real facts, and fails, naming it, on one difference more of each kind.

usage: differences.py ABIGEN ABI-DIRECTORY
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ABIGEN, ABI = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KINDS = ["soname", "node", "needed", "export", "others", "function", "enum", "struct", "field", "typedef", "macro"]
NUMBERS = {"others": {2}, "enum": {3}, "struct": {2}, "field": {3, 4}, "macro": {2}}


class Family:
    """One facts file, to be changed as an import would change it."""

    def __init__(self, name):
        self.name = name
        with open(f"{ABI}/facts/{name}.abi", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.head = [line for line in lines if line.split("\t")[0] not in KINDS]
        self.facts = [line.split("\t") for line in lines if line.split("\t")[0] in KINDS]
        self.releases = [line.split("\t")[1] for line in self.head if line.startswith("release\t")]
        self.newest, self.before = self.releases[-1], self.releases[-2]

    def all(self):
        """RELEASES of a fact that every release states."""
        return self.releases[0] + ".."

    def steady(self, kind, *start):
        """A fact that no release lacks, and that has no other value."""
        found = [f for f in self.facts if f[0] == kind and f[1:1 + len(start)] == list(start)]
        return next(f for f in found if f[-2] == self.all() and sum(g[:-3] == f[:-3] for g in found) == 1)

    def split(self, fact):
        """The newest release says otherwise: returns its fact, to be changed."""
        new = list(fact)
        fact[-2] = re.sub(r"\.\.$", f"..{self.before}", fact[-2])
        new[-2] = self.newest + ".."
        self.facts.append(new)
        return new

    def end(self, fact):
        """The newest release says nothing."""
        fact[-2] = re.sub(r"\.\.$", f"..{self.before}", fact[-2])

    def add(self, *fact):
        self.facts.append([*fact, self.newest + "..", "new.h:1"])

    def soname(self, stem):
        return next(f[1] for f in self.facts if f[0] == "soname" and f[1].startswith(stem + ".so") and f[-2].endswith(".."))

    def write(self, folder):
        def key(fact):
            numbers = NUMBERS.get(fact[0], ())
            return KINDS.index(fact[0]), [(int(c), "") if i in numbers else (0, c) for i, c in enumerate(fact[:-2])]

        text = "\n".join(self.head + ["\t".join(f) for f in sorted(self.facts, key=key)]) + "\n"
        with open(f"{folder}/{self.name}.abi", "w", encoding="utf-8") as file:
            file.write(text)


class Differences(unittest.TestCase):
    def abigen(self, *families):
        with tempfile.TemporaryDirectory(prefix="gangway-differences-") as folder:
            shutil.copytree(f"{ABI}/facts", f"{folder}/facts")
            os.mkdir(f"{folder}/out")
            for family in families:
                family.write(f"{folder}/facts")
            return subprocess.run([ABIGEN, "--facts", f"{folder}/facts", "--treatment", f"{ABI}/treatment", "--changes", f"{ABI}/changes",
                                   "--out", f"{folder}/out"], stderr=subprocess.PIPE, text=True, check=False)

    def untreated(self, family, *expected):
        done = self.abigen(family)
        told = re.findall(r"nothing treats that (\w+ '.*?' \w+)", done.stderr)
        self.assertEqual((done.returncode, sorted(told)), (1, sorted(expected)), done.stderr[:2000])

    def test_the_real_facts_are_all_treated(self):
        done = self.abigen()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_release_that_differs_in_nothing_needs_no_line(self):
        blas = Family("cublas")
        version = blas.newest.split(".")
        blas.head.append("\t".join(["release", ".".join([version[0], str(int(version[1]) + 1), *version[2:]]), "some.whl"]))
        done = self.abigen(blas)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_constant_of_a_new_enum(self):
        dnn = Family("cudnn")
        dnn.add("enum", "cudnnNewMode_t", "CUDNN_NEW_MODE", "0")
        self.untreated(dnn, "enum 'cudnnNewMode_t.CUDNN_NEW_MODE' appears")

    def test_a_constant_of_an_enum_that_never_grew(self):
        blas = Family("cublas")
        blas.add("enum", "cublasSideMode_t", "CUBLAS_SIDE_NEW", "77")
        self.untreated(blas, "enum 'cublasSideMode_t.CUBLAS_SIDE_NEW' appears")

    def test_a_constant_with_another_value(self):
        blas = Family("cublas")
        fact = blas.split(blas.steady("enum", "cublasSideMode_t"))
        fact[3] = "78"
        self.untreated(blas, f"enum 'cublasSideMode_t.{fact[2]}' changes")

    def test_a_constant_that_has_changed_before(self):
        dnn = Family("cudnn")
        dnn.split(next(f for f in dnn.facts if f[2] == "CUDNN_STATUS_BAD_PARAM" and f[-2].endswith("..")))[3] = "2999"
        done = self.abigen(dnn)
        self.assertEqual(done.returncode, 1)
        self.assertIn("'cudnnStatus_t.CUDNN_STATUS_BAD_PARAM' has the values 3,2000,2999", done.stderr)

    def test_a_constant_that_vanishes(self):
        light = Family("cublasLt")
        fact = light.steady("enum", "cublasLtMatmulDescAttributes_t")
        light.end(fact)
        self.untreated(light, f"enum 'cublasLtMatmulDescAttributes_t.{fact[2]}' vanishes")

    def test_a_value_that_changes_hands(self):
        light = Family("cublasLt")
        fact = light.steady("enum", "cublasLtMatmulDescAttributes_t")
        light.end(fact)
        light.add("enum", "cublasLtMatmulDescAttributes_t", "CUBLASLT_MATMUL_DESC_NEW", fact[3])
        self.untreated(light, f"enum 'cublasLtMatmulDescAttributes_t.{fact[2]}' vanishes",
                       "enum 'cublasLtMatmulDescAttributes_t.CUBLASLT_MATMUL_DESC_NEW' reuses")

    def test_a_struct_that_grows(self):
        light = Family("cublasLt")
        fact = light.split(light.steady("struct", "cublasLtMatmulAlgo_t"))
        fact[2] = str(int(fact[2]) + 8)
        self.untreated(light, "struct 'cublasLtMatmulAlgo_t' changes")

    def test_a_struct_that_has_grown_before(self):
        light = Family("cublasLt")
        light.split(next(f for f in light.facts if f[:2] == ["struct", "cublasLtMatmulDescOpaque_t"] and f[-2].endswith("..")))[2] = "320"
        done = self.abigen(light)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "'cublasLtMatmulDescOpaque_t' has the values [0-9,]*,320")

    def test_a_field_that_moves(self):
        dnn = Family("cudnn")
        fact = dnn.split(dnn.steady("field"))
        fact[3] = str(int(fact[3]) + 4)
        self.untreated(dnn, f"field '{fact[1]}.{fact[2]}' changes")

    def test_a_new_struct_with_its_field_and_typedef(self):
        blas = Family("cublas")
        blas.add("struct", "cublasNew_t", "8")
        blas.add("field", "cublasNew_t", "x", "0", "8", "double")
        blas.add("typedef", "cublasNew_t", "struct cublasNew")
        self.untreated(blas, "struct 'cublasNew_t' appears", "field 'cublasNew_t.x' appears", "typedef 'cublasNew_t' appears")

    def test_a_new_function(self):
        for name, stem, function in (("cublas", "libcublas", "cublasNew"), ("cublasLt", "libcublasLt", "cublasLtNew"),
                                     ("cudnn", "libcudnn", "cudnnNew")):
            family = Family(name)
            family.add("function", function, "int", "-")
            family.add("export", family.soname(stem), function)
            self.untreated(family, f"function '{function}' appears")

    def test_a_function_that_vanishes(self):
        with open(f"{ABI}/treatment", encoding="utf-8") as file:
            treated = set(re.findall(r"(?m)^method \w+ (\w+)", file.read()))
        blas = Family("cublas")
        fact = next(f for f in blas.facts if f[0] == "function" and f[1].startswith("cublas") and f[1] not in treated and f[-2] == blas.all())
        blas.end(fact)
        self.untreated(blas, f"function '{fact[1]}' vanishes")

    def test_a_parameter_of_another_name(self):
        light = Family("cublasLt")
        fact = light.split(light.steady("function", "cublasLtMatmul"))
        fact[3] = fact[3].replace("workspace:", "space:")
        self.untreated(light, "function 'cublasLtMatmul' changes")

    def test_a_new_soname_with_its_node(self):
        blas = Family("cublas")
        blas.add("soname", "libcublasNew.so.1", "libcublasNew.so.1")
        blas.add("node", "libcublasNew.so.1", "libcublasNew.so.1")
        blas.add("others", "libcublasNew.so.1", "0", "cbf29ce484222325")
        # What comes with it is told of once.
        self.untreated(blas, "soname 'libcublasNew.so.1' appears")

    def test_a_new_major_release(self):
        blas = Family("cublas")
        blas.end(next(f for f in blas.facts if f[0] == "soname" and f[1] == blas.soname("libcublas")))
        blas.add("soname", "libcublas.so.99", "libcublas.so.99")
        old = blas.soname("libnvblas").replace("nvblas", "cublas")
        self.untreated(blas, f"soname '{old}' vanishes", "soname 'libcublas.so.99' appears")

    def test_a_library_that_is_needed(self):
        blas = Family("cublas")
        blas.add("needed", blas.soname("libcublas"), "libnew.so.1")
        self.untreated(blas, "needed 'libcublas:libnew' appears")

    def test_names_within_a_library(self):
        blas = Family("cublas")
        blas.split(next(f for f in blas.facts if f[0] == "others" and f[1] == blas.soname("libcublas")))[2] = "1"
        self.untreated(blas, "others 'libcublas' changes")

    def test_a_macro_and_a_typedef(self):
        dnn = Family("cudnn")
        dnn.add("macro", "CUDNN_NEW", "1")
        dnn.add("typedef", "cudnnNew_t", "int")
        typedef = dnn.split(dnn.steady("typedef", "cudnnHandle_t"))
        typedef[2] = "void *"
        self.untreated(dnn, "macro 'CUDNN_NEW' appears", "typedef 'cudnnNew_t' appears", "typedef 'cudnnHandle_t' changes")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
