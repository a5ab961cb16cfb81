#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the trace costs a call, beside other tracers, on the fake library: trace.c under each in turns, ROUNDS times. Prints a table.

usage: trace.py PROGRAM AUDITOR SHIM_DIR FAKE_LIB_DIR WORK_DIR [ROUNDS [CALLS]]
The vendor's own log is written by the vendor's library alone: --vendor DIR in place of FAKE_LIB_DIR measures it there.
"""
import os
import shutil
import statistics
import subprocess
import sys

PROGRAM, AUDITOR, SHIM, FAKE, WORK = sys.argv[1:6]
ROUNDS = int(sys.argv[6]) if len(sys.argv) > 6 else 30
CALLS = int(sys.argv[7]) if len(sys.argv) > 7 else 200000
PRELOAD = os.path.join(SHIM, "libgangway.so")


def trace(level, **more):
    return {"LD_PRELOAD": PRELOAD, "GANGWAY_TRACE": os.path.join(WORK, "traces"), "GANGWAY_TRACE_LEVEL": level, **more}


WAYS = [("bare", {}, []), ("shim, no trace", {"LD_PRELOAD": PRELOAD}, []), ("off", trace("off"), []), ("count", trace("count"), []),
        ("record, ring in use", trace("record", GANGWAY_TRACE_SIZE="1M"), []), ("record, pages first touched", trace("record"), []),
        ("brief, ring in use", trace("brief", GANGWAY_TRACE_SIZE="1M"), []), ("LD_AUDIT pltenter", {"LD_AUDIT": AUDITOR}, [])]
if shutil.which("uftrace"):
    WAYS.append(("uftrace record", {}, ["uftrace", "record", "--no-libcall", "-d", os.path.join(WORK, "uftrace")]))


def run(way, calls, threads=1):
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(os.path.join(WORK, "traces"))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))} | {"LD_LIBRARY_PATH": FAKE} | way[1]
    done = subprocess.run([*way[2], PROGRAM, str(calls), str(threads)], env=env, capture_output=True, text=True, check=True)
    if "gangway:" in done.stderr:
        raise SystemExit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def table(threads):
    values = {way[0]: [] for way in WAYS}
    for _ in range(ROUNDS):
        for way in WAYS:
            values[way[0]].append(run(way, CALLS if threads == 1 else CALLS // 4, threads))
    column = 0 if threads == 1 else 3
    shim = statistics.median(v[column] for v in values["shim, no trace"])
    bare = statistics.median(v[column] for v in values["bare"])
    print(f"| {threads} thread(s) | ns a call, median of {ROUNDS} [quartiles] | over the shim without a trace | least | ratio to bare | 99.9th percentile, ns |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for name, numbers in values.items():
        times = sorted(n[column] for n in numbers)
        low, middle, high = times[len(times) // 4], statistics.median(times), times[3 * len(times) // 4]
        least = min(n[1] for n in numbers) - min(n[1] for n in values["shim, no trace"])
        print(f"| {name} | {middle:.1f} [{low:.1f}, {high:.1f}] | {middle - shim:+.1f} | {least:+.1f} | {middle / bare:.2f} | {statistics.median(n[2] for n in numbers):.0f} |")
    print()


for tool in ("uftrace", "lttng"):
    if not shutil.which(tool):
        print(f"({tool} is not installed here)")
print("(the vendor's own log is written by the vendor's library alone: tests/gpu/trace.sh)\n")
table(1)
if ROUNDS > 1:
    table(16)
