#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each level of the trace costs, in turns within one process: two processes on one machine differ by more than what is measured.

usage: LD_PRELOAD=libgangway.so GANGWAY_CONTROL=1 GANGWAY_TRACE=DIR trace_turns.py [ROUNDS]
Switches its own levels through the control page (abi/control_format.h), as `gangway trace` does. Ratios are to the blocks with the trace off beside them.
"""
import glob
import mmap
import os
import statistics
import struct
import sys
import time

import torch
import torch.nn.functional as F

LEVELS = {"off": 1, "count": 2, "brief": 2 | 4, "record": 2 | 4 | 32}
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40


class Control:
    def __init__(self):
        # glob's own descriptor is gone when its result is looked at
        path = next(p for p in glob.glob("/proc/self/fd/*") if os.path.lexists(p) and "gangway-control" in os.readlink(p))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), 0)
        self.count, self.at = struct.unpack_from("<II", self.page, 28)

    def set(self, level):
        self.page[self.at:self.at + self.count] = bytes([LEVELS[level]]) * self.count


def turns(name, one, block, control):
    """Medians over ROUNDS of the time of BLOCK calls of ONE, each level between two blocks without a trace."""
    def measure():
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(block):
            one()
        end = time.perf_counter_ns()
        torch.cuda.synchronize()
        return (end - start) / block, (time.perf_counter_ns() - start) / block

    print(f"\n{name}: host time, and time to the device's end, of one; median of {ROUNDS} blocks of {block}")
    rows = {level: [] for level in ("off", "count", "brief", "record")}
    for _ in range(ROUNDS):
        for level in rows:
            control.set("off")
            before = measure()
            control.set(level)
            with_it = measure()
            control.set("off")
            after = measure()
            rows[level].append([with_it[i] / ((before[i] + after[i]) / 2) for i in (0, 1)] + [with_it[0]])
    for level, found in rows.items():
        host, whole = (sorted(row[i] for row in found) for i in (0, 1))
        quarter = len(found) // 4
        print(f"  {level:7} {statistics.median(row[2] for row in found) / 1000:10.2f} us  of off {statistics.median(host):.4f} [{host[quarter]:.4f}, {host[-1 - quarter]:.4f}]"
              f"  to its end {statistics.median(whole):.4f} [{whole[quarter]:.4f}, {whole[-1 - quarter]:.4f}]", flush=True)


def main():
    x = torch.randn(16, 4096, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(300):
        F.linear(x, w, b)
    control = Control()
    turns("F.linear with bias, bf16, 16 x 4096 x 4096", lambda: F.linear(x, w, b), 100, control)

    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0, activation="gelu")
    model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), torch.nn.Linear(512, 1000)).cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    data = torch.randn(16, 128, 512, device="cuda", dtype=torch.bfloat16)
    target = torch.randint(0, 1000, (16 * 128,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(data).float().view(-1, 1000), target).backward()
        optimizer.step()

    for _ in range(30):
        step()
    turns("training step of a small transformer", step, 10, control)


main()
