#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/gpu/trace.py measures: prints one JSON object.   usage: trace_work.py linear|step [COUNT]"""
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F


def linear(count):
    """Host time of F.linear with bias, bf16, 16 x 4096 x 4096: the median of blocks of 50."""
    x = torch.randn(16, 4096, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(200):
        F.linear(x, w, b)
    torch.cuda.synchronize()
    blocks = []
    for _ in range(count // 50):
        start = time.perf_counter_ns()
        for _ in range(50):
            F.linear(x, w, b)
        blocks.append((time.perf_counter_ns() - start) / 50)
        torch.cuda.synchronize()
    return {"ns": statistics.median(blocks)}


def step(count):
    """Wall time of COUNT training steps of a small transformer."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, dropout=0.0, activation="gelu")
    model = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), torch.nn.Linear(512, 1000)).cuda().bfloat16()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(16, 128, 512, device="cuda", dtype=torch.bfloat16)
    y = torch.randint(0, 1000, (16 * 128,), device="cuda")

    def one():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x).float().view(-1, 1000), y)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(20):
        one()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        loss = one()
    torch.cuda.synchronize()
    return {"s": time.perf_counter() - start, "loss": float(loss)}


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = True
    amount = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print(json.dumps({"linear": lambda: linear(amount or 4000), "step": lambda: step(amount or 200)}[sys.argv[1]]()))
