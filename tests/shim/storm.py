#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the shim under load, on the fake libraries: no lost call, two majors in one process, no deadlock in constructors.

usage: storm.py CC SHIM_DIR OLD_LIB_DIR NEW_LIB_DIR WORK_DIR [SANITIZER]
OLD_LIB_DIR has a fake libcublasLt.so of the older major to link against; at run time only the facades and NEW_LIB_DIR are on the path.
"""
import json
import os
import subprocess
import sys
import unittest
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, OLD, NEW, WORK = sys.argv[1:6]
SANITIZER = sys.argv[6] if len(sys.argv) > 6 else ""
FACADES = os.path.join(SHIM, "facades")
TRANSA = "3"        # CUBLASLT_MATMUL_DESC_TRANSA, an int32 in every release (cublasLt.h)


def soname(directory):
    return next(n for n in sorted(os.listdir(directory)) if n.startswith("libcublasLt.so."))


def build(output, source, *flags):
    sanitize = ["-fsanitize=" + SANITIZER] if SANITIZER else []
    command = [*CC.split(), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", *sanitize,
               os.path.join(HERE, source), "-o", os.path.join(WORK, output), *flags]
    subprocess.run(command, check=True)
    return os.path.join(WORK, output)


def environment(**more):
    result = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
    # A sanitizer's runtime has to be the first library of all.
    runtime = [f for part in SANITIZER.split(",") if part in ("address", "thread") for f in [subprocess.run(
        [*CC.split(), f"-print-file-name=lib{part[0]}san.so"], capture_output=True, text=True, check=True).stdout.strip()]]
    result.update(LD_LIBRARY_PATH=FACADES, LD_PRELOAD=" ".join(runtime + [os.path.join(SHIM, "libgangway.so")]), GANGWAY_LIBRARY_PATH=NEW,
                  ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=1", TSAN_OPTIONS="halt_on_error=1:die_after_fork=0", **more)
    return result


def link_old():
    return ["-Wl,--no-as-needed", os.path.join(OLD, soname(OLD)), "-Wl,--allow-shlib-undefined"]


class Storm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.plugin = build("plugin.so", "plugin.c", "-shared", "-fPIC", *link_old())

    def run_storm(self, threads, calls):
        program = build("storm", "storm.c", "-ldl", *link_old())
        log = os.path.join(WORK, "storm.log")
        if os.path.exists(log):
            os.unlink(log)
        done = subprocess.run([program, str(threads), str(calls), self.plugin, TRANSA, *(["sanitized"] if SANITIZER else [])], capture_output=True, text=True, timeout=600,
                              env=environment(GANGWAY_LOG=log, GANGWAY_LOG_LEVEL="counts"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout + done.stderr)
        told = json.loads(done.stdout)
        counts = {told["parent"]: Counter(), told["child"]: Counter()}
        with open(log, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record["type"] == "count":
                    counts[record["pid"]][record["function"]] += record["calls"]
                    self.assertEqual(record["failures"], 0)
        return told, counts

    def test_64_threads_lose_no_call_while_a_plugin_comes_and_goes_and_a_child_is_forked(self):
        told, counts = self.run_storm(64, int(os.environ.get("GANGWAY_STORM_CALLS", "10000000")))
        self.assertGreater(told["opened"], 1)
        for name in ("Create", "Destroy", "SetAttribute", "GetAttribute"):
            extra = 1 if name in ("Create", "Destroy") else 0
            self.assertEqual(counts[told["parent"]]["cublasLtMatmulDesc" + name], told["rounds"] + extra, name)
            if not SANITIZER:
                self.assertEqual(counts[told["child"]]["cublasLtMatmulDesc" + name], 1000, name)
        self.assertEqual(counts[told["parent"]]["cublasLtGetVersion"], told["opened"])

    def test_a_first_call_in_a_constructor_and_one_outside_it_do_not_deadlock(self):
        program = build("deadlock", "deadlock.c", "-ldl", *link_old())
        for _ in range(20 if SANITIZER else 200):
            done = subprocess.run([program, self.plugin], capture_output=True, text=True, timeout=120, env=environment())
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)

    def test_two_majors_in_one_process_are_each_answered_by_their_own(self):
        new = os.path.join(NEW, soname(NEW))
        old_side = build("ask_old.so", "majors.c", "-shared", "-fPIC", "-DASK=ask_1", *link_old())
        new_side = build("ask_new.so", "majors.c", "-shared", "-fPIC", "-DASK=ask_2", "-Wl,--no-as-needed", new, "-Wl,-rpath," + NEW,
                         "-Wl,--allow-shlib-undefined")
        program = build("majors", "majors.c", "-ldl")
        done = subprocess.run([program, old_side, new_side], capture_output=True, text=True, timeout=120, env=environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 6)
        self.assertEqual({status for _, status in lines}, {"0"})
        old_major, new_major = soname(OLD).rsplit(".", 1)[1], soname(NEW).rsplit(".", 1)[1]
        self.assertTrue(all(version.startswith(old_major) for version, _ in lines[0::2]), lines)
        self.assertTrue(all(version.startswith(new_major) for version, _ in lines[1::2]), lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
