#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What reading traces costs: `ninja -C BUILD bench-report`. Prints rows for docs/measurements.md.

usage: bench.py GANGWAY MAKE DIRECTORY [RECORDS [FILES]]     DIRECTORY: takes 1.6 GB, which are removed at the end

One file of RECORDS (10 million), of 64 bytes each and of a program's mixed sizes; FILES (1,000) of 100,000 records, 25 of them different, the others
hard links. All of it is in the page cache. Time: the median of five; memory: the largest resident set, which maps no file.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GANGWAY, MAKE, DIRECTORY = sys.argv[1:4]
RECORDS = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000_000
FILES = int(sys.argv[5]) if len(sys.argv) > 5 else 1000
DIFFERENT = min(25, FILES)


def measure(name, arguments, size, times=5):
    seconds, processor, memory = [], [], 0
    for _ in range(times):
        begin = time.monotonic()
        child = subprocess.Popen([GANGWAY, *map(str, arguments)])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"gangway {arguments}: status {child.returncode}")
        seconds.append(time.monotonic() - begin)
        processor.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss)
    print(f"| {name} | {size / 1e9:.2f} | {statistics.median(seconds):.2f} [{min(seconds):.2f}, {max(seconds):.2f}] | {statistics.median(processor):.2f} | {memory / 1024:.0f} |",
          flush=True)


def main():
    pathlib.Path(DIRECTORY).mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix="report-", dir=DIRECTORY))
    try:
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        print("| what | GB | s | s of processor | MB |\n| --- | --- | --- | --- | --- |")
        one, out = work / "one.gwt", work / "out"
        for name, options in (("64 bytes each", ["--simple"]), ("mixed sizes", [])):
            subprocess.run([MAKE, one, "--records", str(RECORDS), "--threads", "8", *options], check=True, stdout=subprocess.DEVNULL)
            measure(f"{RECORDS:,} records, {name}, JSON", ["report", "--json", "-o", out, one], one.stat().st_size)
        one.unlink()
        many = work / "many"
        many.mkdir()
        for i in range(DIFFERENT):
            subprocess.run([MAKE, many / f"{i}-0.gwt", "--records", "100000", "--threads", "4", "--rank", str(i), "--host", f"node{i // 8}", "--pid", str(1000 + i)],
                           check=True, stdout=subprocess.DEVNULL)
        for i in range(DIFFERENT, FILES):
            os.link(many / f"{i % DIFFERENT}-0.gwt", many / f"{i % DIFFERENT}-{i // DIFFERENT}.gwt")
        size = sum(path.stat().st_size for path in many.iterdir())
        measure(f"{FILES:,} files of 100,000, HTML", ["report", "--format", "html", "-o", out, many], size, 3)
        print(f"the page: {out.stat().st_size / 1e6:.2f} MB")
        measure("one file of 100,000, JSON lines", ["report", "--format", "jsonl", "-o", out, many / "0-0.gwt"], (many / "0-0.gwt").stat().st_size)
        measure("one file of 100,000, Perfetto", ["report", "--format", "perfetto", "-o", out, many / "0-0.gwt"], (many / "0-0.gwt").stat().st_size)
    finally:
        shutil.rmtree(work)


main()
