#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gangway adds to a call, measured on the fake libraries: calls.c, its plug-ins built for several releases, each way in which they bind.

usage: calls.py CC SHIM_DIR ROOT FAKE_DIR WORK_DIR [ROUNDS]
SHIM_DIR has libgangway.so and facades/; FAKE_DIR/NAME has the fake release NAME. Prints one table a way, of ROUNDS pairs of 100 calls.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, FAKE, WORK = sys.argv[1:6]
ROUNDS = sys.argv[6] if len(sys.argv) > 6 else "4000"
FACADES, PRELOAD = os.path.join(SHIM, "facades"), os.path.join(SHIM, "libgangway.so")
# Built for, its library and source; what answers; through the preloaded interposer or not.
LT, DNN = ("libcublasLt.so.", "calls_lt.c"), ("libcudnn.so.", "calls_dnn.c")
WAYS = [("cublas-13.10.0.20", LT, "cublas-13.10.0.20", True, "its own release, through the interposer: nothing is to be done"),
        ("cublas-12.9.0.13", LT, "cublas-13.10.0.20", True, "built for 12, answered by 13, through the interposer"),
        ("cublas-12.9.0.13", LT, "cublas-13.10.0.20", False, "built for 12, answered by 13, through the facade alone"),
        ("cublas-11.10.3.66", LT, "cublas-13.10.0.20", True, "built for 11, answered by 13, through the interposer"),
        ("cudnn-9.28.1.4", DNN, "cudnn-9.28.1.4", True, "its own release, through the interposer: nothing is to be done"),
        ("cudnn-8.9.7.29", DNN, "cudnn-9.28.1.4", True, "built for 8, answered by 9, through the interposer"),
        ("cudnn-8.9.7.29", DNN, "cudnn-9.28.1.4", False, "built for 8, answered by 9, through the facade alone")]


def library(name, kind):
    return os.path.join(FAKE, name, "lib", kind[0] + name.split("-")[1].split(".")[0])


def compile_all():
    os.makedirs(WORK, exist_ok=True)
    flags = [*CC.split(), "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*flags, os.path.join(HERE, "calls.c"), "-o", os.path.join(WORK, "calls"), "-ldl"], check=True)
    for name, kind in sorted({(way[0], way[1]) for way in WAYS}):
        path = library(name, kind)
        subprocess.run([*flags, "-shared", "-fPIC", os.path.join(HERE, kind[1]), "-o", os.path.join(WORK, name + ".so"), "-I" + ROOT, "-I" + HERE,
                        "-I" + os.path.join(FAKE, name, "src"), "-L" + os.path.dirname(path), "-l:" + os.path.basename(path)], check=True)


def run(*words, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
    done = subprocess.run([os.path.join(WORK, "calls"), *words], env={**clean, **environment}, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def measure(name, kind, target, preload, what):
    plugin, answering, offsets = os.path.join(WORK, name + ".so"), library(target, kind), os.path.join(WORK, "offsets")
    own = os.path.dirname(library(name, kind))
    with open(offsets, "w", encoding="utf-8") as file:
        file.write(run("--offsets", answering, plugin, LD_LIBRARY_PATH=own))
    environment = {"LD_LIBRARY_PATH": own if name == target else FACADES, "GANGWAY_CUBLAS" if kind is LT else "GANGWAY_CUDNN": os.path.dirname(answering)}
    if preload:
        environment["LD_PRELOAD"] = PRELOAD
    print(f"{name}: {what}\n\n{run('-n', ROUNDS, answering, plugin, offsets, **environment)}", flush=True)


compile_all()
for way in WAYS:
    measure(*way)
