#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The trace holds what was called, whatever becomes of the process, the disk or the file. Read by reader.py, which knows the format's header alone.

usage: trace.py CC SHIM_DIR FAKE_LIB_DIR WORK_DIR [--gangway GANGWAY] [--sanitizer NAME] [--kills N]
"""
import argparse
import glob
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reader

HERE = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("cc")
parser.add_argument("shim")
parser.add_argument("fake")
parser.add_argument("work")
parser.add_argument("--gangway")
parser.add_argument("--sanitizer", default="")
parser.add_argument("--threads", type=int, default=10000)
parser.add_argument("--kills", type=int, default=40)
ASKED = parser.parse_args()
WORK, SHIM, FAKE = ASKED.work, ASKED.shim, ASKED.fake
LIBRARY = os.path.join(FAKE, "libcublasLt.so.13")
PROGRAM, TRACES = os.path.join(WORK, "calls"), os.path.join(WORK, "traces")
# AddressSanitizer's allocator may be locked by a thread that a forked child does not have: there children would wait for ever.
CHILDREN = 0 if "address" in ASKED.sanitizer else 6
SET, CREATE, DESTROY = "cublasLtMatmulPreferenceSetAttribute", "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceDestroy"


def environment(**more):
    result = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
    runtime = [f for part in ASKED.sanitizer.split(",") if part in ("address", "thread") for f in [subprocess.run(
        [*ASKED.cc.split(), f"-print-file-name=lib{part[0]}san.so"], capture_output=True, text=True, check=True).stdout.strip()]]
    result.update(LD_LIBRARY_PATH=FAKE, LD_PRELOAD=" ".join(runtime + [os.path.join(SHIM, "libgangway.so")]), GANGWAY_TRACE=TRACES,
                  ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0", TSAN_OPTIONS="halt_on_error=1:die_after_fork=0:report_thread_leaks=0")
    result.update(more)
    return {k: v for k, v in result.items() if v is not None}


def run(*words, before=None, timeout=600, **more):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=timeout, env=environment(**more), preexec_fn=before)


def traces():
    return sorted(glob.glob(os.path.join(TRACES, "*.gwt")))


def calls(name):
    """Sums over all traces."""
    total = [0, 0]
    for path in traces():
        counts = reader.Trace(path).named_counts().get(name, [0, 0])
        total = [total[0] + counts[0], total[1] + counts[1]]
    return total


class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        sanitize = ["-fsanitize=" + ASKED.sanitizer] if ASKED.sanitizer else []
        subprocess.run([*ASKED.cc.split(), "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", *sanitize,
                        os.path.join(HERE, "calls.c"), "-o", PROGRAM, LIBRARY], check=True)

    def setUp(self):
        shutil.rmtree(TRACES, ignore_errors=True)
        os.makedirs(TRACES)

    def only(self):
        self.assertEqual(len(traces()), 1, traces())
        trace = reader.Trace(traces()[0])
        self.assertEqual(trace.problems, [])
        return trace

    def good(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def test_each_call_is_counted_by_default_and_none_is_recorded(self):
        self.good(run("plain", 1000))
        trace = self.only()
        self.assertEqual({name: counts[:2] for name, counts in trace.named_counts().items()}, {CREATE: [1, 0], SET: [1000, 100], DESTROY: [1, 0]})
        self.assertEqual(trace.records, [])
        self.assertEqual(reader.STOPPED[trace.head["stopped"]], "end")
        _, _, timed, ticks = trace.named_counts()[SET]
        self.assertTrue(1000 // 64 <= timed < 1000)     # a cheap one: most were not timed, and are estimated
        self.assertGreater(ticks, 0)

    def test_a_record_holds_arguments_result_caller_contents_and_order(self):
        self.good(run("plain", 1000, GANGWAY_TRACE_LEVEL="record"))
        trace = self.only()
        sets = [r for r in trace.records if r["function"] == SET]
        self.assertEqual(len(trace.records), 1002)
        self.assertEqual([r["number"] for r in trace.records], list(range(1002)))
        self.assertEqual(len({r["arguments"]["pref"] for r in sets}), 1)
        for i, record in enumerate(sets):
            good = i % 10 != 0
            self.assertEqual(record["arguments"]["attr"], 1 if good else 77)
            self.assertEqual(record["arguments"]["sizeInBytes"], 8)
            self.assertEqual(record["contents"]["buf"], struct.pack("<Q", i if good else 0).hex())
            self.assertEqual(record["result"] != 0, not good)
        self.assertTrue(all(r["duration"] for r in trace.records))
        starts = [r["start"] for r in trace.records]
        self.assertEqual(starts, sorted(starts))
        program = next(o for o in trace.of("object") if o["path"] == PROGRAM)
        self.assertTrue(all(int(program["low"], 16) <= r["caller"] < int(program["high"], 16) for r in trace.records))
        library = next(o for o in trace.of("library") if o["family"] == "cublasLt")
        self.assertEqual(os.path.realpath(library["path"]), os.path.realpath(LIBRARY))
        statuses = next(s for s in trace.of("statuses") if s["id"] == program["statuses"]["cublasLt"])
        self.assertIn(sets[0]["result"], statuses["values"].values())
        self.assertEqual(trace.of("process")[0]["command"], [PROGRAM, "plain", "1000"])
        self.assertEqual(trace.of("thread")[0]["tid"], trace.records[0]["tid"])

    def test_levels_go_by_family_and_function_and_a_sample_is_about_its_share(self):
        self.good(run("plain", 4000, GANGWAY_TRACE_LEVEL=f"off,cublas:record,{SET}:sample=20,{CREATE}:record"))
        trace = self.only()
        self.assertEqual(set(trace.named_counts()), {SET, CREATE})
        self.assertEqual(trace.named_counts()[SET][0], 4000)
        records = [r["function"] for r in trace.records]
        self.assertEqual(records.count(CREATE), 1)
        self.assertTrue(100 < records.count(SET) < 300, records.count(SET))

    def test_a_level_that_cannot_be_read_is_told_and_left_out(self):
        done = run("plain", 10, GANGWAY_TRACE_LEVEL="recrod")
        self.assertIn("GW-363", done.stderr)
        self.assertEqual(self.only().named_counts()[SET][0], 10)

    def test_off_and_disabled_make_no_file(self):
        self.good(run("plain", 10, GANGWAY_TRACE_LEVEL="off"))
        self.good(run("plain", 10, GANGWAY_DISABLE="1"))
        self.assertEqual(traces(), [])

    def test_a_named_file_is_the_trace_and_its_children_have_their_own(self):
        path = os.path.join(TRACES, "mine.gwt")
        self.good(run("sum", 1, 40, CHILDREN, GANGWAY_TRACE=path))
        # a child that was forked before its parent's first call may be the first to take the name
        self.assertIn(path, traces())
        self.assertEqual(sorted(reader.Trace(one).named_counts()[SET][0] for one in traces()), [40] + [400] * (CHILDREN // 2) + [500] * (CHILDREN // 2))

    def test_a_ring_keeps_the_last_records_and_counts_what_it_overwrote(self):
        self.good(run("plain", 50000, GANGWAY_TRACE_LEVEL="record", GANGWAY_TRACE_SIZE="1M"))
        trace = self.only()
        self.assertEqual(trace.head["overwritten"] + len(trace.records), 50002)
        self.assertEqual([r["number"] for r in trace.records], list(range(trace.head["overwritten"], 50002)))
        self.assertEqual(trace.named_counts()[SET][0], 50000)
        self.assertLess(os.path.getsize(traces()[0]), (1 << 20) + 8192)

    def test_a_full_trace_that_is_no_ring_keeps_the_first_and_says_so_once(self):
        done = run("plain", 50000, GANGWAY_TRACE_LEVEL="record", GANGWAY_TRACE_SIZE="1M", GANGWAY_TRACE_FULL="stop")
        self.assertEqual((done.returncode, done.stderr.count("GW-362")), (0, 1))
        trace = self.only()
        self.assertEqual(trace.head["dropped"] + sum("mark" not in r for r in trace.records), 50002)
        self.assertEqual([r["number"] for r in trace.records], list(range(len(trace.records))))
        self.assertEqual(trace.named_counts()[SET][0], 50000)
        self.assertEqual(reader.STOPPED[trace.head["stopped"]], "limit")

    def limited(self, limit, **more):
        return run("plain", 50000, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)), GANGWAY_TRACE_LEVEL="record", **more)

    def test_a_limit_of_file_size_ends_the_trace_and_not_the_program(self):
        for full, kept in (("stop", lambda t: t.records[0]["number"] == 0), ("ring", lambda t: t.records[-1]["number"] >= 50001)):
            with self.subTest(full):
                self.setUp()
                done = self.limited(600000, GANGWAY_TRACE_FULL=full)
                self.assertEqual((done.returncode, done.stderr.count("gangway:"), done.stderr.count("GW-361")), (0, 1, 1))
                trace = self.only()
                self.assertTrue(kept(trace))
                self.assertGreater(len(trace.records), 5000)
                self.assertEqual(trace.named_counts()[SET][0], 50000)
                self.assertTrue(trace.head["stop_errno"])

    def test_no_room_at_all_is_told_once(self):
        done = self.limited(1000)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("gangway:"), done.stderr.count("GW-360")), (0, "done\n", 1, 1))
        self.assertEqual(traces(), [])

    def test_a_directory_that_may_not_be_written_is_told_once(self):
        done = run("plain", 1000, GANGWAY_TRACE="/proc/self")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("gangway:"), done.stderr.count("GW-360")), (0, "done\n", 1, 1))

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_a_full_disk_ends_the_trace_and_not_the_program(self):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", TRACES], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("this machine does not let root mount")
        try:
            done = run("plain", 200000, GANGWAY_TRACE_LEVEL="record", GANGWAY_TRACE_FULL="stop")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("GW-361")), (0, "done\n", 1))
            trace = self.only()
            self.assertEqual(reader.STOPPED[trace.head["stopped"]], "space")
            self.assertEqual(trace.named_counts()[SET][0], 200000)
            self.assertEqual(trace.head["dropped"] + sum("mark" not in r for r in trace.records), 200002)
            self.assertGreater(len(trace.records), 20000)
        finally:
            subprocess.run(["umount", TRACES], check=True)

    def test_what_was_completed_before_a_kill_is_read_back_in_order(self):
        shared = os.path.join(WORK, "shared")
        moments = random.Random(7)
        for _ in range(ASKED.kills):
            self.setUp()
            with open(shared, "wb") as file:
                file.truncate(64 * 16)
            process = subprocess.Popen([PROGRAM, "numbered", "8", shared], env=environment(GANGWAY_TRACE_LEVEL="record"))
            time.sleep(0.03 + moments.random() * (0.6 if ASKED.sanitizer else 0.12))
            process.send_signal(signal.SIGKILL)
            process.wait()
            with open(shared, "rb") as file:
                words = struct.unpack("<128Q", file.read())
            if not traces():
                self.assertEqual(sum(words[:64]), 0)
                continue
            trace = self.only()
            found = {}
            for record in trace.records:
                if record["function"] == SET:
                    found.setdefault(record["arguments"]["pref"], []).append((record["thread"], int.from_bytes(bytes.fromhex(record["contents"]["buf"]), "little")))
            for done, own in zip(words[:8], words[64:72]):
                numbers = [number for _, number in found.get(own, [])]
                self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
                self.assertTrue(done <= len(numbers) <= done + 1, (done, len(numbers)))
                self.assertLessEqual(len({thread for thread, _ in found.get(own, [])}), 1)

    def test_counts_are_exact_with_threads_that_die_forks_and_executed_programs(self):
        each = 4000 if ASKED.sanitizer else 31240
        self.good(run("sum", 64, each, CHILDREN))
        made = 64 * (each // 4) * 4
        made += CHILDREN // 2 * (400 + 500)
        self.assertEqual(calls(SET), [made, made // 10])
        self.assertEqual(len(traces()), 1 + CHILDREN)

    def test_no_call_is_lost_where_signal_handlers_call_in_between(self):
        """A handler's call inside another call is a nested one, which is neither counted nor recorded; one between two calls is."""
        for level in ("count", "record"):
            with self.subTest(level):
                self.setUp()
                done = self.good(run("signals", 300000, GANGWAY_TRACE_LEVEL=level))
                trace = self.only()
                counted = trace.named_counts()[SET][0]
                self.assertTrue(300000 < counted <= 300000 + int(done.stdout), (counted, done.stdout))
                if level == "record":
                    self.assertEqual(len([r for r in trace.records if r["function"] == SET]) + trace.head["dropped"], counted)
                    own = [r for r in trace.records if r["function"] == SET and r["arguments"]["attr"] == 77]
                    self.assertEqual(len(own), 30000)

    def test_a_child_by_raw_clone_has_a_trace_of_its_own(self):
        self.good(run("clone", 700, GANGWAY_TRACE_LEVEL="record"))
        self.assertEqual(sorted(len([r for r in reader.Trace(p).records if r["function"] == SET]) for p in traces()), [700, 700])
        self.assertEqual(len({reader.Trace(p).head["pid"] for p in traces()}), 2)

    def test_first_calls_of_many_threads_at_once_are_all_recorded(self):
        for _ in range(5):
            self.setUp()
            self.good(run("early", 16, GANGWAY_TRACE_LEVEL="record"))
            trace = self.only()
            self.assertEqual((len(trace.records), trace.head["dropped"], trace.named_counts()["cublasLtGetVersion"][0]), (16, 0, 16))

    @unittest.skipIf(ASKED.sanitizer, "a sanitizer's own memory is counted, too")
    def test_many_threads_take_little_memory(self):
        numbers = []
        for level in ("off", "record"):
            self.setUp()
            done = run("alive", ASKED.threads, 20, GANGWAY_TRACE_LEVEL=level)
            if done.returncode == 4:
                self.skipTest("this machine does not let a process have 10,000 threads")
            numbers.append([int(n) for n in done.stdout.split()[1::2]])
        # Kilobytes beyond the file: 8 MB a process, and what of its stack a thread touches.
        self.assertLess(numbers[1][0] - numbers[0][0], (8 << 10) + ASKED.threads * 8)
        trace = self.only()
        self.assertEqual(trace.named_counts()[SET][0], ASKED.threads * 20)
        self.assertLess(os.path.getsize(traces()[0]), 260 << 20)

    def test_any_changed_byte_of_a_record_is_found(self):
        self.good(run("plain", 50, GANGWAY_TRACE_LEVEL="record"))
        path = traces()[0]
        good = self.only()
        with open(path, "rb") as file:
            whole = file.read()
        moments = random.Random(3)
        for record in moments.sample(good.records, 3):
            for place in range(64):
                broken = bytearray(whole)
                broken[record["at"] + place] ^= moments.randrange(1, 256)
                with open(path, "wb") as file:
                    file.write(broken)
                trace = reader.Trace(path)
                # A record that bears another generation is not there: then its number is missing.
                self.assertTrue(len(trace.problems) == 1 or place < 2, place)
                self.assertEqual(len(trace.records), len(good.records) - 1, place)

    @unittest.skipUnless(ASKED.gangway, "no gangway here")
    def test_levels_are_switched_while_the_program_runs(self):
        stop = os.path.join(WORK, "stop")
        for name in (stop,):
            if os.path.exists(name):
                os.unlink(name)
        process = subprocess.Popen([PROGRAM, "wait", stop], env=environment(GANGWAY_TRACE=None, GANGWAY_CONTROL="1"), stdout=subprocess.PIPE, text=True)

        def switch(*words):
            return subprocess.run([ASKED.gangway, "trace", str(process.pid), *words], capture_output=True, text=True, check=False)

        try:
            self.assertEqual(process.stdout.readline(), "ready\n")
            time.sleep(0.05)
            self.assertIn(" 0 count, 0 record", switch().stdout)
            self.assertEqual(switch("record", "--function", SET, "--directory", TRACES).returncode, 0)
            time.sleep(0.2)
            first = len(self.only().records)
            self.assertGreater(first, 20)
            self.assertEqual(switch("count").returncode, 0)
            time.sleep(0.1)
            after, counted = len(self.only().records), self.only().named_counts()[SET][0]
            time.sleep(0.2)
            self.assertEqual(len(self.only().records), after)
            self.assertGreater(self.only().named_counts()[SET][0], counted)
            self.assertEqual(switch("off").returncode, 0)
            time.sleep(0.1)
            counted = self.only().named_counts()[SET][0]
            time.sleep(0.1)
            self.assertEqual(self.only().named_counts()[SET][0], counted)
            for words, status, text in ((("recrod",), 2, "no level"), (("record", "--family", "nothing"), 2, "no function"),
                                        (("record", "--directory", "/nowhere"), 2, "No such")):
                done = switch(*words)
                self.assertEqual(done.returncode, status)
                self.assertIn(text, done.stderr)
        finally:
            with open(stop, "w", encoding="utf-8"):
                pass
            process.wait()
            process.stdout.close()
        for pid, text in ((str(process.pid), "no process"), (str(os.getpid()), "no control page"), ("1x", "no process number")):
            done = subprocess.run([ASKED.gangway, "trace", pid, "off"], capture_output=True, text=True, check=False)
            self.assertIn(text, done.stderr)
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
