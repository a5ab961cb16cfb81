#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a machine with a GPU and torch: what the trace costs there, beside the vendor's own log, and that it holds what that log holds.

usage: trace.py LIBGANGWAY READER_DIR [--rounds N] [--keep DIR]
Variants take turns, each a process of its own; the numbers are medians over rounds. Exits 1 where a limit is missed.
"""
import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("reader")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--keep", default="")
ASKED = parser.parse_args()
sys.path.insert(0, ASKED.reader)
import reader

WORK = ASKED.keep or tempfile.mkdtemp()
os.makedirs(WORK, exist_ok=True)
failures = []


def run(name, words, variant):
    """bare, off (the shim without a trace), count, record, log (the vendor's), or record+log."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "CUBLASLT_LOG"))}
    folder = os.path.join(WORK, name + "-" + variant)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if variant not in ("bare", "log"):
        env["LD_PRELOAD"] = ASKED.library
    if variant.startswith(("count", "record")):
        env |= {"GANGWAY_TRACE": folder, "GANGWAY_TRACE_LEVEL": variant.split("+")[0]}
    if variant.endswith("log"):
        env |= {"CUBLASLT_LOG_LEVEL": "5", "CUBLASLT_LOG_FILE": os.path.join(folder, "log.txt")}
    done = subprocess.run([sys.executable, os.path.join(HERE, "trace_work.py"), *map(str, words)], env=env, capture_output=True, text=True, check=False)
    if done.returncode or "gangway:" in done.stderr:
        print(f"{name} {variant}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout) if done.stdout.strip() else {}, folder


def side_by_side(name, words, variants, key, limits):
    values = {v: [] for v in variants}
    for _ in range(ASKED.rounds):
        for variant in variants:
            value, folder = run(name, words, variant)
            values[variant].append(value.get(key, float("nan")))
            for path in glob.glob(os.path.join(folder, "*.gwt")) + glob.glob(os.path.join(folder, "log.txt")):
                if variant != "record":
                    os.unlink(path)
    bare = statistics.median(values["bare"])
    print(f"\n{name}, median of {ASKED.rounds}:")
    for variant, numbers in values.items():
        ratios = sorted(n / b for n, b in zip(numbers, values["bare"]))
        ratio = statistics.median(ratios)
        print(f"  {variant:8} {statistics.median(numbers):12.4g} {key}   ratio {ratio:.4f} [{ratios[0]:.4f}, {ratios[-1]:.4f}]")
        if variant in limits and ratio > limits[variant]:
            failures.append(f"{name} {variant}: {ratio:.4f} is more than {limits[variant]}")
    return bare


def numbers_of(text):
    """NAME=VALUE of a line of the vendor's log, lists in brackets included."""
    return dict(re.findall(r"(\w+)=(\[[^\]]*\]|\S+)", text))


def found(value, record, function, enums, shape):
    """Does the record hold what the log says of one argument? The two call some parameters by different names."""
    arguments, contents = record["arguments"].values(), record.get("contents", {}).values()
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", value):
        return int(value, 16) in arguments or int(value, 16).to_bytes(8, "little").hex() in contents
    if re.fullmatch(r"-?\d+", value):
        return int(value) in arguments or any(int.from_bytes(bytes.fromhex(c)[:4], "little", signed=True) == int(value) for c in contents) or value in shape
    if value.startswith("["):
        return all(word.split("=")[-1].lower() in shape for word in value.strip("[]").split())
    named = [name for p in function["parameters"] if p.get("enum") for name, number in enums[p["enum"]].items() if number == record["arguments"][p["name"]]]
    return any(name.endswith(value) for name in named) or value.lower() in shape


def compare():
    """2,000 products with both: the same functions in the same order, with the same arguments, and in the shapes what the log's brackets hold."""
    _, folder = run("compare", ["linear", 2000], "record+log")
    trace = reader.Trace(glob.glob(os.path.join(folder, "*.gwt"))[0])
    with open(os.path.join(folder, "log.txt"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    lines = re.findall(r"\[Api\]\[(cublasLt\w+)\]\s*([^\n]*)", text)
    called = {r["function"] for r in trace.records if "function" in r}
    lines = [line for line in lines if line[0] in called]       # others are the library's own steps
    records = [r for r in trace.records if r.get("function") in {name for name, _ in lines}]
    # From the last product back: in the beginning the log also has what gangway asked the library for.
    count = min(len(lines), len(records), 2000 * 23)
    lines, records = lines[-count:], records[-count:]
    print(f"\ncompare: {count} lines of the log, {trace.head['dropped']} records dropped, {len(trace.problems)} problems")
    same = sum(name == record["function"] for (name, _), record in zip(lines, records))
    if same != count:
        failures.append(f"compare: {count - same} of {count} functions are others")
    enums, shapes = {}, {s["id"]: json.dumps(s).lower() for s in trace.of("shape")}
    for e in trace.of("enum"):
        enums.setdefault(e["name"], {}).update(e["values"])
    fields = missed = 0
    told = set()
    for (name, line), record in zip(lines, records):
        if name != record["function"]:
            continue
        for key, value in numbers_of(line).items():
            fields += 1
            if found(value, record, trace.functions[record["fn"]], enums, shapes.get(record.get("shape"), "")):
                continue
            missed += 1
            if (name, key) not in told and len(told) < 40:
                told.add((name, key))
                print(f"  not seen in the record: {name} {key}={value}\n    record: {json.dumps(record)[:500]}\n    shape: {shapes.get(record.get('shape'), '')[:900]}")
    print(f"  {fields} arguments in the log, {missed} not found in the record")
    if missed:
        failures.append(f"compare: {missed} of {fields} arguments were not found")


def explained():
    """How many of a training step's calls have a shape and a caller."""
    paths = glob.glob(os.path.join(WORK, "step-record", "*.gwt"))
    if not paths:
        failures.append("step: no trace")
        return
    trace = reader.Trace(paths[0])
    heavy = [r for r in trace.records if r.get("function") and re.search(r"Matmul$|[gG]emm|Convolution(Forward|Backward)|BackendExecute", r["function"])]
    objects = [(int(o["low"], 16), int(o["high"], 16)) for o in trace.of("object")]
    good = [r for r in heavy if r.get("shape") and any(low <= r["caller"] < high for low, high in objects)]
    from collections import Counter
    print(f"\nstep: {len(trace.records)} records, {len(heavy)} computing calls, {len(good)} with shape and caller; without:",
          Counter(r["function"] for r in heavy if not r.get("shape")).most_common(5))
    for s in trace.of("shape")[:20]:
        print("   ", s["function"], s.get("text"))


side_by_side("linear", ["linear", 4000], ["bare", "off", "count", "record", "log"], "ns", {"count": 1.01, "record": 1.03})
side_by_side("step", ["step", 200], ["bare", "count", "record"], "s", {"record": 1.01})
compare()
explained()
print("\n" + ("\n".join(failures) if failures else "all within their limits"))
sys.exit(1 if failures else 0)
