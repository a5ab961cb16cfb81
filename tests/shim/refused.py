#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the table of differences calls refused is refused: each such function is called on a fake release that lacks it, and each private
symbol through its facade; the answer is the status of the table, and the finding of the table is told of it. So it is with numbers that are
too large for a function that is carried by one of 32 bits.

usage: refused.py CC SHIM_DIR FAKE_DIR FACTS_DIR TRANSLATIONS WORK_DIR
FAKE_DIR/NAME/lib has the fake release NAME. (refused.c)
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, FAKE, FACTS, TRANSLATIONS, WORK = sys.argv[1:7]
FACADES = os.path.join(SHIM, "facades")
SUITE = {"cublas": "cublas", "cublasLt": "cublas", "cudnn": "cudnn"}
# Called first, as programs do with what each release has: by that the caller is known to belong to the loaded library.
FIRST = {"cublas": "cublasGetCudartVersion", "cublasLt": "cublasLtGetVersion", "cudnn": "cudnnGetVersion"}
BATCH = 300  # findings that one process tells are not without limit


def rows():
    """(family, kind, name, form, how, status, finding) of each difference."""
    treatments = {}
    with open(TRANSLATIONS, encoding="utf-8") as file:
        for line in file:
            column = line.rstrip("\n").split("\t")
            if column[0] == "treatment":
                treatments[column[1]] = column[2:5]
            else:
                yield (*column[:4], *treatments[column[4]])


def fakes(suite):
    """Its fake releases, oldest first."""
    found = [name for name in os.listdir(FAKE) if re.fullmatch(suite + r"-[\d.]+", name)]
    return sorted(found, key=lambda name: [int(n) for n in name.split("-")[1].split(".")])


class Facts:
    def __init__(self, family):
        with open(f"{FACTS}/{family}.abi", encoding="utf-8") as file:
            self.lines = [line.rstrip("\n").split("\t") for line in file]
        self.releases = [line[1] for line in self.lines if line[0] == "release"]

    def within(self, text, release):
        at = self.releases.index(release)
        for item in text.split(","):
            first, dots, last = item.partition("..")
            end = self.releases.index(last) if last else len(self.releases) - 1 if dots else self.releases.index(first)
            if self.releases.index(first) <= at <= end:
                return True
        return False

    def number(self, constant, release):
        return next(int(line[3]) for line in self.lines if line[0] == "enum" and line[2] == constant and self.within(line[4], release))

    def has(self, function, release):
        return any(line[0] == "function" and line[1] == function and self.within(line[-2], release) for line in self.lines)

    def newest_of(self, soname):
        releases = next(line[-2] for line in self.lines if line[0] == "soname" and line[1] == soname)
        return [release for release in self.releases if self.within(releases, release)][-1]


def run(program, arguments, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
    env.update({"LD_PRELOAD": os.path.join(SHIM, "libgangway.so"), "GANGWAY_FINDINGS": os.path.join(WORK, "findings"), "GANGWAY_QUIET": "1"}, **more)
    if os.path.exists(env["GANGWAY_FINDINGS"]):
        os.unlink(env["GANGWAY_FINDINGS"])
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, env=env, check=False)
    if done.returncode:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-500:]}")
    findings = ""
    if os.path.exists(env["GANGWAY_FINDINGS"]):
        with open(env["GANGWAY_FINDINGS"], encoding="utf-8") as file:
            findings = file.read()
    registry.check(findings)
    told = {(name, code) for code, line in re.findall(r"(GW-\d+): (.*)", findings) for name in re.findall(r"[\w.]+", line)}
    return dict(line.split() for line in done.stdout.splitlines()), told


def build(name, *arguments):
    path = os.path.join(WORK, name)
    subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", os.path.join(HERE, "refused.c"), "-o", path, *arguments, "-ldl"],
                   check=True)
    return path


def build_imports(name, functions, lib, soname):
    header = os.path.join(WORK, name + ".h")
    with open(header, "w", encoding="utf-8") as file:
        file.writelines(f"extern call {function};\n" for function in functions)
        file.write("static const struct import imports[] = {\n")
        file.writelines(f'\t{{"{function}", {function}}},\n' for function in functions)
        file.write("\t{0, 0}\n};\n")
    # It needs the library, as a program that was built for a newer release of the same soname does.
    return build(name + ".so", "-shared", "-fPIC", f'-DIMPORTS="{header}"', "-Wl,--no-as-needed", "-L" + lib, "-l:" + soname)


def batches(items):
    items = sorted(items)
    return [items[i:i + BATCH] for i in range(0, len(items), BATCH)]


class Refused(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.program = build("refused")
        cls.rows = [row for row in rows() if row[4] == "refused"]

    def functions(self, family, form):
        """Those that a call can be made to, which the oldest (or newest) fake release lacks."""
        facts = Facts(family)
        fake = fakes(SUITE[family])[0 if form == "appears" else -1]
        release = fake.split("-")[1]
        wanted = {name: (status, finding) for f, kind, name, its, _, status, finding in self.rows if (f, kind, its) == (family, "function", form)}
        lib = os.path.join(FAKE, fake, "lib")
        stem = {"cublas": "libcublas", "cublasLt": "libcublasLt", "cudnn": "libcudnn"}[family]
        soname = next(name for name in os.listdir(lib) if name.startswith(stem + ".so."))
        self.assertEqual([name for name in wanted if facts.has(name, release)], [])
        for number, names in enumerate(batches(wanted)):
            imports = build_imports(f"{family}-{form}-{number}", [FIRST[family], *names], lib, soname)
            answers, told = run(self.program, [os.path.join(lib, soname), "--imported", imports], LD_LIBRARY_PATH=lib)
            self.assertEqual(list(answers), [FIRST[family], *names])
            for name in names:
                status, finding = wanted[name]
                self.assertIn((name, finding), told)
                if status != "-":
                    self.assertEqual(int(answers[name]), facts.number(status, release), name)
        return len(wanted)

    def test_each_function_that_the_loaded_release_lacks(self):
        called = sum(self.functions(family, form) for family in SUITE for form in ("appears", "vanishes"))
        self.assertGreater(called, 0)

    def test_each_function_of_64_bits_that_is_carried_refuses_what_32_bits_cannot_hold(self):
        facts = Facts("cublas")
        fake = fakes("cublas")[0]
        lib = os.path.join(FAKE, fake, "lib")
        soname = next(name for name in os.listdir(lib) if name.startswith("libcublas.so."))
        carried = {row[2]: row[5] for row in rows() if row[1] == "function" and row[6] == "GW-318"}
        self.assertGreater(len(carried), 200)
        for number, names in enumerate(batches(carried)):
            imports = build_imports(f"carried-{number}", [FIRST["cublas"], *names], lib, soname)
            answers, told = run(self.program, [os.path.join(lib, soname), "--imported", imports], LD_LIBRARY_PATH=lib, FILL=str(1 << 40))
            for name in names:
                self.assertEqual(int(answers[name]), facts.number(carried[name], fake.split("-")[1]), name)
                self.assertIn((name, "GW-318"), told)

    def test_each_private_symbol_behind_its_facade(self):
        names, called = os.path.join(WORK, "names"), set()
        for soname in sorted(os.listdir(FACADES)):
            family = {"libcublas": "cublas", "libcublasLt": "cublasLt"}.get(soname.split(".so")[0], "cudnn")
            wanted = {name.split(":", 1)[1]: (status, finding) for f, kind, name, _, _, status, finding in self.rows
                      if (f, kind, finding) == (family, "export", "GW-304") and name.startswith(soname.split(".so")[0] + ":")}
            if not re.fullmatch(r"lib(cublas|cublasLt|cudnn\w*)\.so\.\d+", soname) or not wanted:
                continue
            facts = Facts(family)
            lib = os.path.join(FAKE, fakes(SUITE[family])[-1], "lib")
            for batch in batches(wanted):
                with open(names, "w", encoding="utf-8") as file:
                    file.writelines(name + "\n" for name in batch)
                answers, told = run(self.program, [os.path.join(FACADES, soname), "--named", names], LD_LIBRARY_PATH=FACADES,
                                    **{"GANGWAY_" + SUITE[family].upper(): lib})
                for name, answer in answers.items():
                    status, finding = wanted[name]
                    self.assertEqual(int(answer), facts.number(status, facts.newest_of(soname)), f"{soname} {name}")
                    self.assertIn((name, finding), told)
                    called.add((family, soname.split(".so")[0] + ":" + name))
        missed = {(f, name) for f, kind, name, _, _, _, finding in self.rows if (kind, finding) == ("export", "GW-304")} - called
        self.assertEqual(sorted(missed), [])
        self.assertGreater(len(called), 500)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
