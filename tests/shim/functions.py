#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs built for a newer cuBLAS than the one that is loaded: what they compute by functions that it lacks (functions.c), and, for each
function of 64 bit integers, that every argument reaches the one of 32 bits as it was.

usage: functions.py CC SHIM_DIR ROOT FAKE_DIR WORK_DIR
FAKE_DIR/NAME has the fake release NAME: lib, and src with its declarations.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, WORK = sys.argv[1:6]
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")
FLAGS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]
TWELVE, THIRTEEN = "cublas-12.9.0.13", "cublas-13.10.0.20"


def lib(release):
    return os.path.join(FAKE, release, "lib")


def compile_program(source, name, release, soname):
    program = os.path.join(WORK, name)
    subprocess.run([*CC.split(), *FLAGS, source, "-o", program, "-I" + ROOT, "-I" + os.path.join(FAKE, release, "src"), "-L" + lib(release),
                    "-l:libcublas.so." + soname, "-l:libcublasLt.so." + soname, "-ldl"], check=True)
    return program


def run(program, arguments, path, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
    env.update({"LD_LIBRARY_PATH": path}, **more)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120, env=env)
    registry.check(done.stderr)
    if done.returncode:
        raise AssertionError(f"{program} {arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.splitlines(), done.stderr


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        source = os.path.join(HERE, "functions.c")
        cls.twelve = compile_program(source, "functions-12", TWELVE, "12")
        cls.thirteen = compile_program(source, "functions-13", THIRTEEN, "13")

    def ways(self):
        """(program, own library path, path with the older library, settings, words for it)"""
        yield self.twelve, lib(TWELVE), lib("cublas-12.1.3.1"), {}, "12.9 on 12.1, the same soname"
        for old in "cublas-11.10.3.66", "cublas-11.11.3.6":
            yield self.twelve, lib(TWELVE), FACADES, {"GANGWAY_CUBLAS": lib(old)}, "12.9 on " + old
        for old in "cublas-11.10.3.66", "cublas-11.11.3.6", "cublas-12.1.3.1", "cublas-12.4.5.8":
            yield self.thirteen, lib(THIRTEEN), FACADES, {"GANGWAY_CUBLAS": lib(old)}, "13.10 on " + old

    def test_an_older_release_computes_what_the_newer_one_does(self):
        for program, own, path, more, words in self.ways():
            with self.subTest(words):
                expected, _ = run(program, ["numbers"], own)
                self.assertFalse([line for line in expected[:-1] if not re.match(r"[\w ]+: 0 ", line)])
                got, said = run(program, ["numbers"], path, LD_PRELOAD=PRELOAD, **more)
                self.assertEqual(got, expected)
                self.assertEqual(said, "")

    def test_it_does_without_a_preload(self):
        for program, own, path, more, words in self.ways():
            if path == FACADES:
                with self.subTest(words):
                    self.assertEqual(run(program, ["numbers"], path, **more)[0], run(program, ["numbers"], own)[0])

    def test_what_32_bits_cannot_hold_is_refused_and_told(self):
        for program, _, path, more, words in self.ways():
            if "11." not in words:
                continue
            with self.subTest(words):
                got, said = run(program, ["excess"], path, LD_PRELOAD=PRELOAD, **more)
                wide = [line for line in got if not line.startswith("null")]
                self.assertTrue(wide and all(line.split(": ")[1].split(" ")[0].startswith("7") for line in wide), got)
                self.assertRegex(said, r"warning GW-318: cublasSaxpy_v2_64 was called with n = 4294967302, and \S*libcublas\.so\.1\d has this function "
                                       r"for 32 bits alone; the program was told 'invalid value'; install a release that has the function: "
                                       r"cublas has it from 12\.0\.1\.189 on\n")
                self.assertEqual(said.count("GW-318: cublasIsamax_v2_64 "), 1)
                got, said = run(program, ["excess grouped"], path, LD_PRELOAD=PRELOAD, **more)
                self.assertTrue(all(line.split(": ")[1].startswith("7 " if " 64:" in line else "0 ") for line in got if line.startswith("grouped")), got)
                self.assertIn("GW-318: cublasSgemmGroupedBatched_64 was called with m_array = 4294967297", said)

    def test_a_wrong_group_is_refused_before_the_first_product(self):
        for program, _, path, more, words in self.ways():
            if "11." not in words:
                continue
            with self.subTest(words):
                got, said = run(program, ["wrong groups"], path, LD_PRELOAD=PRELOAD, **more)
                wrong = [line for line in got if line.startswith("wrong")]
                self.assertTrue(wrong and all(line.endswith(": 7, untouched 1") for line in wrong), got)
                self.assertEqual(said, "")

    def test_settings_have_their_defaults_and_can_be_set_to_them(self):
        for program, own, path, more, words in self.ways():
            with self.subTest(words):
                got, said = run(program, ["settings"], path, LD_PRELOAD=PRELOAD, **more)
                self.assertEqual((got, said), (run(program, ["settings"], own)[0], ""))

    def test_other_settings_are_refused_and_told(self):
        for program, _, path, more, words in self.ways():
            with self.subTest(words):
                got, said = run(program, ["other settings"], path, LD_PRELOAD=PRELOAD, **more)
                others = [line for line in got if line.startswith("another")]
                self.assertTrue(others and all(line.endswith(": 15") for line in others), got)
                self.assertRegex(said, r"warning GW-319: cublasSetEmulationStrategy was told 'not supported': \S*libcublas\.so\.1\d has no such function, and "
                                       r"it emulates no floating point, so the default is all that can be set; install a release that has the function: "
                                       r"cublas has it from 12\.9\.0\.13 on\n")
                self.assertEqual(said.count("GW-"), len(others))
                self.assertEqual(said.count("GW-303: cublasLtEmulationDescCreate "), int("13.10" in words))

    def test_a_program_on_its_own_release_is_left_alone(self):
        for program, own in (self.twelve, lib(TWELVE)), (self.thirteen, lib(THIRTEEN)):
            self.assertEqual(run(program, ["numbers"], own, LD_PRELOAD=PRELOAD), run(program, ["numbers"], own))


def functions(family):
    """NAME: its parameters' types, as the newest release has them."""
    found = {}
    with open(os.path.join(ROOT, "abi", "facts", family + ".abi"), encoding="utf-8") as facts:
        for line in facts:
            words = line.rstrip("\n").split("\t")
            if words[0] == "function":
                found[words[1]] = [] if words[3] == "-" else [p.split(": ", 1)[1] for p in re.split(r", (?=\w+: )", words[3])]
    return found


class Arguments(unittest.TestCase):
    """A library of the 32 bit functions alone, each of which writes down its arguments."""

    @classmethod
    def setUpClass(cls):
        os.makedirs(os.path.join(WORK, "recorder"), exist_ok=True)
        known = functions("cublas")
        cls.pairs = {name: (types, known[name[:-3]]) for name, types in known.items() if name.endswith("_64")
                     and "GroupedBatched" not in name}
        cls.build_recorder()
        cls.build_caller()

    @classmethod
    def build_recorder(cls):
        lines = ["#include <stdio.h>", "int cublasGetPointerMode_v2(void *handle, int *mode) { (void)handle; *mode = 0; return 0; }",
                 "int cublasGetProperty(int type, int *value) { *value = type == 0 ? 11 : 0; return 0; }"]
        for name, (_, types) in sorted(cls.pairs.items()):
            declared = ", ".join(("int *" if t == "int *" else "long long" if re.search(r"[*\]]|long|Handle_t|Stream_t", t) else "int") + f" p{i}"
                                 for i, t in enumerate(types))
            shown = "".join(f'printf(" %lld", (long long)p{i});' for i, t in enumerate(types) if t != "int *")
            written = "".join(f"*p{i} = 4711;" for i, t in enumerate(types) if t == "int *")
            lines.append(f'int {name[:-3]}({declared}) {{ printf("{name[:-3]}"); {shown} {written} printf("\\n"); return 0; }}')
        source = os.path.join(WORK, "recorder", "recorder.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        with open(os.path.join(WORK, "recorder", "map"), "w", encoding="utf-8") as out:
            out.write("libcublas.so.12 { *; };\n")
        subprocess.run([*CC.split(), "-shared", "-fPIC", "-w", source, "-o", os.path.join(WORK, "recorder", "libcublas.so.12"),
                        "-Wl,-soname,libcublas.so.12", "-Wl,--version-script=" + os.path.join(WORK, "recorder", "map")], check=True)

    @classmethod
    def build_caller(cls):
        """Each function with different arguments, then, for each int64_t, one that is too large."""
        lines = ["#include <stdio.h>", "#include <stdint.h>", "int main(void)", "{", "int64_t result;", "int status;", "setvbuf(stdout, NULL, _IOLBF, 0);"]
        cls.expected = []
        for name, (types, _) in sorted(cls.pairs.items()):
            values = [7 + i * 3 - (100 if t == "int64_t" and i % 2 else 0) for i, t in enumerate(types)]
            declared = ", ".join("int64_t *" if t == "int64_t *" else "long long" for t in types)

            def call(arguments):
                return f"{name}(" + ", ".join("&result" if t == "int64_t *" else f"{v}LL" for t, v in zip(types, arguments)) + ")"

            has_result = "int64_t *" in types
            lines.append(f"extern int {name}({declared}); result = -1; status = {call(values)};")
            lines.append(f'printf("{name} %d %lld\\n", status, (long long){"result" if has_result else "0"});')
            cls.expected.append(" ".join([name[:-3], *(str(v) for t, v in zip(types, values) if t != "int64_t *")]))
            cls.expected.append(f"{name} 0 {4711 if has_result else 0}")
            for i, t in enumerate(types):
                if t == "int64_t":
                    for large in 2**31, -2**31 - 1, 2**32:
                        lines.append(f'printf("{name} %d\\n", {call(values[:i] + [large] + values[i + 1:])});')
                        cls.expected.append(f"{name} 7")
        lines.append("return 0; }")
        source = os.path.join(WORK, "recorder", "caller.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        cls.program = os.path.join(WORK, "recorder", "caller")
        subprocess.run([*CC.split(), "-w", source, "-o", cls.program, "-L" + lib(TWELVE), "-l:libcublas.so.12",
                        "-Wl,--allow-shlib-undefined"], check=True)

    def test_every_argument_of_every_function_arrives_or_is_refused(self):
        self.assertGreater(len(self.pairs), 200)
        got, said = run(self.program, [], os.path.join(WORK, "recorder"), LD_PRELOAD=PRELOAD)
        self.assertEqual(got, self.expected)
        self.assertEqual(said.count("GW-318"), len([n for n, (types, _) in self.pairs.items() if "int64_t" in types]))
        self.assertNotIn("GW-303", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
