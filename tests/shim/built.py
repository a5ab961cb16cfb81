#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which release a calling object was built for: what the log says of programs on fake releases, and that nothing else changes (built.c).

usage: built.py CC SHIM_DIR FACTS_DIR FAKE_DIR CUBLAS_OLD CUBLAS_MIDDLE CUBLAS_NEW WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations; of majors 11, 12 and 13.
"""
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, FACTS, FAKE, OLD, MIDDLE, NEW, WORK = sys.argv[1:9]
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")
WITHOUT = object()


def release_of(name):
    return name.split("-", 1)[1]


def facts(kind, family="cublas"):
    with open(os.path.join(FACTS, family + ".abi"), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t")[1:] for line in file if line.startswith(kind + "\t")]


RELEASES = [row[0] for row in facts("release")]
NUMBERS = {}    # what the version function of a release answers
for name, value, span, _ in facts("macro"):
    if name == "CUBLAS_VERSION":
        first, _, last = span.partition("..")
        for release in RELEASES[RELEASES.index(first):RELEASES.index(last or first) + 1]:
            NUMBERS[release] = value


def of_major(major):
    return [r for r in RELEASES if r.split(".")[0] == str(major)]


def first_with(function):
    return min((row[3].split(",")[0].split("..")[0] for row in facts("function") if row[0] == function), key=RELEASES.index)


def releases_with_size(struct, release):
    """The releases in which a struct is as long as in RELEASE, in order."""
    by_size = {}
    for name, size, spans, _ in facts("struct", "cublasLt"):
        for span in spans.split(",") if name == struct else ():
            first, dots, last = span.partition("..")
            by_size.setdefault(size, []).extend(RELEASES[RELEASES.index(first):RELEASES.index(last or (RELEASES[-1] if dots else first)) + 1])
    return next((size, found) for size, found in by_size.items() if release in found)


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.programs = {}
        for name, major, flags in ("old", 11, []), ("middle", 12, []), ("newer", 12, ["-DNEWER"]), ("now", 12, ["-DNEWER", "-Wl,-z,now", "-fno-plt"]), \
                ("old-sizes", 11, ["-DSIZES"]), ("sizes", 12, ["-DSIZES"]):
            fake = os.path.join(FAKE, {11: OLD, 12: MIDDLE}[major])
            cls.programs[name] = os.path.join(WORK, name)
            subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *flags, os.path.join(HERE, "built.c"), "-o",
                            cls.programs[name], "-I" + os.path.dirname(os.path.dirname(FACTS)), "-I" + os.path.join(fake, "src"), "-L" + os.path.join(fake, "lib"), f"-l:libcublas.so.{major}", f"-l:libcublasLt.so.{major}", "-Wl,-rpath-link," + os.path.join(fake, "lib")],
                           check=True)

    def run_program(self, name, libraries, errors="", **more):
        log = os.path.join(WORK, "log")
        if os.path.exists(log):
            os.unlink(log)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": ":".join(libraries), "LD_PRELOAD": PRELOAD, "GANGWAY_LOG": log, **more})
        done = subprocess.run([self.programs[name]], capture_output=True, text=True, timeout=60, env={k: v for k, v in env.items() if v is not WITHOUT})
        self.assertEqual(done.returncode, 0, done.stderr)
        registry.check(done.stderr)
        (self.assertRegex if errors else self.assertEqual)(done.stderr, errors)
        with open(log, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        self.version, *product = done.stdout.split()
        self.assertEqual(product, ["23", "34", "31", "46"])
        found = [(r["family"], r["min"], r["max"], r["evidence"]) for r in records if r["type"] == "object" and r["path"] == self.programs[name]]
        self.assertEqual(len(found), len([r for r in records if r["type"] == "object"]), "no object but the program calls")
        return found

    def on_own(self, name, **more):
        return self.run_program(name, [os.path.join(FAKE, OLD if name == "old" else MIDDLE, "lib")], **more)

    def behind_a_facade(self, name, **more):
        return self.run_program(name, [FACADES, os.path.join(FAKE, NEW, "lib")], **more)

    def test_the_node_gives_the_releases_of_its_soname(self):
        own = of_major(12)
        self.assertEqual(self.on_own("middle"), [("cublas", own[0], own[-1], "node libcublas.so.12")])
        self.assertEqual(self.version, NUMBERS[release_of(MIDDLE)])

    def test_an_imported_function_excludes_releases_that_lack_it(self):
        own, function = of_major(12), "cublasSgemm_v2_64"
        self.assertEqual(first_with(function), own[0], "the test wants a function that is as old as its soname")
        for name in "newer", "now":
            self.assertEqual(self.on_own(name)[0][1:3], (own[0], own[-1]))

    def test_behind_a_facade_the_evidence_is_the_same_and_the_version_is_the_facades_own(self):
        for name, major in ("old", 11), ("middle", 12):
            own = of_major(major)
            self.assertEqual(self.behind_a_facade(name), [("cublas", own[0], own[-1], f"node libcublas.so.{major}")])
            self.assertEqual(self.version, NUMBERS[own[-1]])

    def test_the_sizes_that_a_caller_passes_narrow_its_releases_once(self):
        struct = "cublasLtMatmulDescOpaque_t"
        for name, major, release in ("old-sizes", 11, release_of(OLD)), ("sizes", 12, release_of(MIDDLE)):
            size, having = releases_with_size(struct, release)
            narrowed = [r for r in of_major(major) if r in having]
            self.assertLess(len(narrowed), len(of_major(major)))
            expected = [(of_major(major)[0], of_major(major)[-1], f"node libcublasLt.so.{major}"), (narrowed[0], narrowed[-1], f"{size} bytes of {struct}")]
            for libraries in [os.path.join(FAKE, OLD if major == 11 else MIDDLE, "lib")], [FACADES, os.path.join(FAKE, NEW, "lib")]:
                found = self.run_program(name, libraries)
                self.assertEqual([f[1:] for f in found if f[0] == "cublasLt"], expected)
            told = of_major(major)[-1]
            found = self.run_program(name, libraries, GANGWAY_BUILT_FOR=f"*:cublas={told}")
            self.assertEqual([f[1:] for f in found if f[0] == "cublasLt"], [(told, told, "told GANGWAY_BUILT_FOR")])

    def test_what_the_user_says_counts_alone(self):
        told = of_major(12)[2]
        for value in f"middle:cublas={told}", f"{self.programs['middle']}:cublas={told}", f"other:cublas=any;mid*:cublasLt={told}", f"*:cublas={told}":
            self.assertEqual(self.on_own("middle", GANGWAY_BUILT_FOR=value), [("cublas", told, told, "told GANGWAY_BUILT_FOR")])
            self.assertEqual(self.version, NUMBERS[release_of(MIDDLE)])
            self.assertEqual(self.behind_a_facade("middle", GANGWAY_BUILT_FOR=value), [("cublas", told, told, "told GANGWAY_BUILT_FOR")])
            self.assertEqual(self.version, NUMBERS[of_major(12)[-1]])
        self.assertEqual(self.on_own("middle", GANGWAY_BUILT_FOR="middle:cublas=any"), [])

    def test_a_value_that_cannot_be_read_is_told_once_and_not_obeyed(self):
        own = of_major(12)
        found = self.on_own("middle", GANGWAY_BUILT_FOR="middle:cublas=twelve", errors=r"\Agangway: error GW-320: GANGWAY_BUILT_FOR is not obeyed: no "
                            r'release at character 15 of "middle:cublas=twelve"; [^\n]*\n\Z')
        self.assertEqual(found, [("cublas", own[0], own[-1], "node libcublas.so.12")])

    def test_without_a_preload_a_facade_knows_its_caller_too(self):
        env = {"LD_LIBRARY_PATH": f"{FACADES}:{os.path.join(FAKE, NEW, 'lib')}", "GANGWAY_BUILT_FOR": "*:cublas=" + of_major(12)[1]}
        done = subprocess.run([self.programs["middle"]], capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, NUMBERS[of_major(12)[-1]] + " 23 34 31 46\n", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
