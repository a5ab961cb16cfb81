#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a trace by what abi/trace_format.h says alone, slowly and in full: what the fast reader and the tests of the writer are compared with.

usage: reader.py FILE…     prints the head, the definitions, the sums of the counts, and each record, as JSON lines
"""
import json
import struct
import sys

MAGIC = b"gangway trace\r\n\0"
FREE, RECORDS, DEFINITIONS, COUNTS = range(4)
CALL, MARK = 1, 2
LONG, NESTED, STACK, SHAPE, SLOW, STATUS, REDIRECTED, GPU = (1 << i for i in range(8))
EXTENSIONS = [("stack", STACK), ("shape", SHAPE), ("slow", SLOW), ("status", STATUS), ("redirect", REDIRECTED), ("gpu_ns", GPU)]
STOPPED = ["none", "limit", "space", "end"]
WORD = (1 << 64) - 1


def check_words(seed, data):
    total = seed * 0x9e3779b97f4a7c15
    for i, (word,) in enumerate(struct.iter_unpack("<Q", data + b"\0" * (-len(data) % 8))):
        total += (word ^ word >> 32) * ((0xbf58476d1ce4e5b9 + 2 * 0x94d049bb133111eb * i) & WORD)
    total &= WORD
    return (total >> 32 ^ total) & 0xffffffff


class Broken(Exception):
    pass


class Trace:
    """head, definitions (by kind), counts ({fn: [calls, failures, timed, ticks]}), shape_counts, records (in order per thread), problems."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.problems, self.records, self.definitions = [], [], {}
        self.counts, self.shape_counts = {}, {}
        self.read_head()
        bodies = []
        for index in range(self.head["blocks"]):
            at = self.head["head_size"] + index * self.head["block_size"]
            block = self.read_block(at)
            if block:
                bodies.append(block)
        for block in bodies:
            if block["kind"] == DEFINITIONS:
                self.read_definitions(block)
        self.functions = {d["id"]: d for d in self.of("function")}
        for block in sorted((b for b in bodies if b["kind"] == RECORDS), key=lambda b: (b["thread"], b["sequence"])):
            self.read_records(block)
        for block in bodies:
            if block["kind"] == COUNTS:
                self.read_counts(block)

    def of(self, kind):
        return self.definitions.get(kind, [])

    def read_head(self):
        data = self.data
        if len(data) < 160 or data[:16] != MAGIC:
            raise Broken("no trace: its first bytes are others")
        names = ["version", "head_size", "block_size", "block_limit", "pid", "clock", "ring", "function_count"]
        self.head = dict(zip(names, struct.unpack_from("<8I", data, 16)))
        if self.head["version"] != 1:
            raise Broken(f"version {self.head['version']}")
        self.head["start"] = struct.unpack_from("<3Q", data, 48)
        (check,) = struct.unpack_from("<I", data, 92)
        if check != check_words(0, data[:92] + b"\0" * 4):
            self.problems.append((0, "the head's check is wrong"))
        self.head["blocks"], self.head["stopped"], self.head["stop_errno"], _ = struct.unpack_from("<IIiI", data, 96)
        self.head["now"] = struct.unpack_from("<3Q", data, 112)
        self.head["dropped"], self.head["overwritten"] = struct.unpack_from("<QQ", data, 136)

    def read_block(self, at):
        if at + self.head["block_size"] > len(self.data):
            self.problems.append((at, "the file ends before this block does"))
            return None
        kind, generation, tid, thread, sequence, first, sample, check, owner, fill = struct.unpack_from("<HHIQQQIIII", self.data, at)
        if kind == FREE:
            return None
        if check != check_words(0, self.data[at:at + 36] + b"\0" * 4):
            self.problems.append((at, "the block's check is wrong"))
            return None
        return {"at": at, "kind": kind, "generation": generation, "tid": tid, "thread": thread, "sequence": sequence, "first": first,
                "sample": sample, "owner": owner, "fill": fill}

    def read_definitions(self, block):
        at, end = block["at"] + 64, block["at"] + self.head["block_size"]
        while at + 16 <= end:
            size, generation, state, check, length = struct.unpack_from("<IHHII", self.data, at)
            if not size:
                break
            text = self.data[at + 16:at + 16 + length]
            if size % 8 or at + size > end or length > size - 16:
                self.problems.append((at, "a definition's size is wrong"))
                break
            if state == 1 and generation == block["generation"]:
                if check != check_words(0, text):
                    self.problems.append((at, "a definition's check is wrong"))
                else:
                    value = json.loads(text)
                    self.definitions.setdefault(value["def"], []).append(value)
            at += size

    def read_records(self, block):
        slots_of_block = self.head["block_size"] // 64
        slot, number = 1, block["first"]
        while slot < slots_of_block:
            at = block["at"] + slot * 64
            (mark,) = struct.unpack_from("<Q", self.data, at)
            generation, slots, kind, check = mark & 0xffff, mark >> 16 & 0xff, mark >> 24 & 0xff, mark >> 32
            if generation != block["generation"]:
                slot += 1
                continue
            if not slots or slot + slots > slots_of_block or check != check_words(mark & 0xffffffff, self.data[at + 8:at + slots * 64]):
                self.problems.append((at, "a record's check is wrong"))
                slot += 1
                continue
            self.records.append(self.record(block, at, slots, kind, number))
            number += 1
            slot += slots

    def record(self, block, at, slots, kind, number):
        start, duration, fn, flags, caller = struct.unpack_from("<QIHHQ", self.data, at + 8)
        result = {"thread": block["thread"], "tid": block["tid"], "number": number, "start": start, "at": at}
        if kind == MARK:
            result["mark"] = struct.unpack_from("<Q", self.data, at + 32)[0]
            return result
        function = self.functions.get(fn)
        result |= {"fn": fn, "function": function["name"] if function else None, "flags": flags, "duration": duration,
                   "caller": caller & 0xffffffffffff, "result": caller >> 48}
        if not function:
            return result
        place = at + 32
        wide = 8 if flags & LONG else 4
        result["arguments"] = {}
        for parameter in function["parameters"]:
            kind_of = parameter["class"]
            form = {"int32": "<i", "uint32": "<I", "int8": "<i", "int64": "<q" if wide == 8 else "<i", "uint64": "<Q" if wide == 8 else "<I",
                    "float": "<f", "double": "<d", "pointer": "<Q", "string": "<Q"}.get(kind_of)
            size = struct.calcsize(form) if form else (parameter["size"] + 3) // 4 * 4
            result["arguments"][parameter["name"]] = struct.unpack_from(form, self.data, place)[0] if form else self.data[place:place + size].hex()
            place += size
        result["contents"] = {}
        for parameter in function["parameters"]:
            size = parameter.get("in") or parameter.get("out")
            if size:
                result["contents"][parameter["name"]] = self.data[place:place + size].hex()
                place += size
        for name, bit in EXTENSIONS:
            if flags & bit:
                (result[name],) = struct.unpack_from("<Q", self.data, place)
                place += 8
        if "slow" in result:
            result["duration"] = result.pop("slow")
        if "status" in result:
            result["result"] = result.pop("status")
        if place > at + slots * 64:
            self.problems.append((at, "a record is longer than its slots"))
        return result

    def read_counts(self, block):
        for at in range(block["at"] + 64, block["at"] + self.head["block_size"], 64):
            fn, _, shape, calls, failures, timed, ticks = struct.unpack_from("<HHIQQQQ", self.data, at)
            if not calls:
                continue
            key, to = ((fn, shape), self.shape_counts) if shape else (fn, self.counts)
            to[key] = [a + b for a, b in zip(to.get(key, [0] * 4), (calls, failures, timed, ticks))]

    def name(self, fn):
        return self.functions[fn]["name"] if fn in self.functions else fn

    def named_counts(self):
        return {self.name(fn): value for fn, value in self.counts.items()}


def main():
    status = 0
    for path in sys.argv[1:]:
        trace = Trace(path)
        print(json.dumps({"head": trace.head, "stopped": STOPPED[trace.head["stopped"]]}))
        for kind in trace.definitions.values():
            for value in kind:
                print(json.dumps(value))
        for fn, (calls, failures, timed, ticks) in sorted(trace.counts.items()):
            print(json.dumps({"count": trace.name(fn), "calls": calls, "failures": failures, "timed": timed, "ticks": ticks}))
        for (fn, shape), (calls, failures, timed, ticks) in sorted(trace.shape_counts.items()):
            print(json.dumps({"count": trace.name(fn), "shape": shape, "calls": calls, "failures": failures, "timed": timed, "ticks": ticks}))
        for record in trace.records:
            print(json.dumps(record))
        for at, what in trace.problems:
            print(f"{path}: at byte {at}: {what}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
