#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A crash inside a vendor call is told with its function and libraries, and ends the program as it would have ended without us (crash.c).

usage: crash.py CC SHIM_DIR ROOT CUBLAS CUDNN WORK_DIR
CUBLAS and CUDNN are directories of fake releases: lib, and src with its declarations.
"""
import json
import os
import re
import resource
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, ROOT, CUBLAS, CUDNN, WORK = sys.argv[1:7]
BLAS, DNN = os.path.join(CUBLAS, "lib", "libcublas.so.13"), os.path.join(CUDNN, "lib", "libcudnn.so.9")
PROGRAM, LOG = os.path.join(WORK, "crash"), os.path.join(WORK, "log")
# How, function, its library, signal. The program crashes with the handler or without, installed before the first vendor call or after it.
TOLD = [
    ("wrong_handle", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("freed_handle", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("wrong_descriptor", "cublasLtMatmulDescGetAttribute", "libcublasLt.so.13", "SIGSEGV"),
    ("null_pointer", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("corrupted_heap", "cublasDestroy_v2", "libcublas.so.13", "SIGABRT"),
    ("truncated", "cublasSgemm_v2", "libcublas.so.13", "SIGBUS"),
    ("callback", "cudnnGetCallback", "libcudnn.so.9", "SIGSEGV"),
    ("abort", "cudnnGetCallback", "libcudnn.so.9", "SIGABRT"),
    ("fpe", "cudnnGetCallback", "libcudnn.so.9", "SIGFPE"),
    ("ill", "cudnnGetCallback", "libcudnn.so.9", "SIGILL"),
    ("overflow", "cudnnGetCallback", "libcudnn.so.9", "SIGSEGV"),
    ("raise", "cudnnGetCallback", "libcudnn.so.9", "SIGSEGV"),
    ("thread", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("child", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("wrong_handle jump", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("wrong_handle leave", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("corrupted_heap leave", "cublasDestroy_v2", "libcublas.so.13", "SIGABRT"),
    ("overflow stack", "cudnnGetCallback", "libcudnn.so.9", "SIGSEGV"),
    ("wrong_handle collect", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("wrong_handle late-collect", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
    ("abort late-collect", "cudnnGetCallback", "libcudnn.so.9", "SIGABRT"),
    ("wrong_handle once", "cublasSgemm_v2", "libcublas.so.13", "SIGSEGV"),
]
DNN_CALL = ["cudnnGetCallback of libcudnn.so.9", "cudnnGetCallback of libgangway.so", "below of crash"]
GEMM = ["cublasSgemm_v2 of libcublas.so.13", "cublasSgemm_v2 of libgangway.so", "multiply of crash"]
# How, and the functions that were being called, as the program is written; the innermost first. Between two of them nothing else that has a name.
CHAINS = {
    "wrong_handle": [*GEMM, "wrong_handle of crash", "main of crash"],
    "freed_handle": [*GEMM, "freed_handle of crash", "main of crash"],
    # (gangway looks at the block first)
    "wrong_descriptor": ["cublasLtMatmulDescGetAttribute of libgangway.so", "wrong_descriptor of crash", "main of crash"],
    "null_pointer": [*GEMM, "null_pointer of crash", "main of crash"],
    "corrupted_heap": ["cublasDestroy_v2 of libcublas.so.13", "cublasDestroy_v2 of libgangway.so", "corrupted_heap of crash", "main of crash"],
    "truncated": [*GEMM, "truncated of crash", "main of crash"],
    "callback": ["null_write of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "callback of crash", "main of crash"],
    "abort": ["abort of libc.so.6", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_abort of crash", "main of crash"],
    "fpe": ["divide of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_fpe of crash", "main of crash"],
    "ill": ["illegal of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_ill of crash", "main of crash"],
    "raise": ["raise_segv of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_raise of crash", "main of crash"],
    "overflow": ["recurse of crash", "recurse of crash", "overflow of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_overflow of crash",
                 "main of crash"],
    "overflow stack": ["recurse of crash", "overflow of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_overflow of crash", "main of crash"],
    "thread": [*GEMM, "wrong_handle of crash", "thread_main of crash"],
    "child": [*GEMM, "wrong_handle of crash", "child of crash", "main of crash"],
    "wrong_handle leave": [*GEMM, "wrong_handle of crash", "main of crash"],
    "wrong_handle late-collect": [*GEMM, "wrong_handle of crash", "main of crash"],
    # frames with room of a changing size, of more than a page's, and as a tail
    "chain": [*GEMM, "chain_c of crash", "chain_b of crash", "chain_a of crash", "chain of crash", "main of crash"],
    "null_function": ["null_function of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "in_null_function of crash", "main of crash"],
    # the frame that was overwritten, and behind the gap what the next words lead to
    "corrupted_stack": ["null_write of crash", "smash of crash", "cudnnGetCallback of libcudnn_graph.so.9", *DNN_CALL, "corrupted_stack of crash",
                        "main of crash"],
}
UNTOLD = ["outside_raise", "outside_segv", "outside_segv leave", "outside_segv late-collect", "outside_raise jump", "wrong_handle late-leave",
          "overflow late-stack", "wrong_handle late-jump", "raise ignore", "wrong_handle ignore", "none"]


def run(words, **more):
    """Raw wait status, with the flag of a core, standard output, standard error."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_", "PYTHON"))}
    env["LD_LIBRARY_PATH"] = os.path.dirname(BLAS) + ":" + os.path.dirname(DNN)
    env.update(more)
    limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
    with open(os.path.join(WORK, "out"), "w+") as out, open(os.path.join(WORK, "err"), "w+", errors="replace") as err:
        process = subprocess.Popen(words, stdout=out, stderr=err, cwd=WORK, env=env,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (limit, limit)))
        _, status = os.waitpid(process.pid, 0)
        process.returncode = 0
        out.seek(0), err.seek(0)
        return status, out.read(), err.read()


def ours(words, **more):
    return run(words, LD_PRELOAD=os.path.join(SHIM, "libgangway.so"), **{"GANGWAY_CRASH": "1", **more})


def without_report(err):
    """And without what differs from run to run: Python's name of a thread."""
    return re.sub(r"thread 0x\w+", "thread", "".join(line for line in err.splitlines(True) if not line.startswith("gangway:")))


class Crash(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        subprocess.run([*CC.split(), "-std=gnu11", "-O1", "-g", "-w", "-rdynamic", "-fno-inline", "-fno-optimize-sibling-calls",
                        os.path.join(HERE, "crash.c"), "-o", PROGRAM,
                        "-I" + ROOT, "-I" + os.path.join(CUBLAS, "src"), BLAS, os.path.join(CUBLAS, "lib", "libcublasLt.so.13"), DNN, "-lpthread"],
                       check=True)

    def the_same(self, words, **more):
        status, out, err = run(words)
        status_ours, out_ours, err_ours = ours(words, **more)
        self.assertEqual((status_ours, out_ours, without_report(err_ours)), (status, out, without_report(err)), f"with and without gangway; {err_ours}")
        return status, err_ours

    def test_crashes_are_told_and_end_as_without_us(self):
        for how, function, library, signal in TOLD:
            with self.subTest(how):
                if how == "overflow":   # the kernel cannot hand out the signal without our alternate stack: told more, ended the same
                    self.assertTrue(os.WIFSIGNALED(run([PROGRAM, how])[0]))
                _, err = self.the_same([PROGRAM, *how.split()])
                told = [line for line in err.splitlines() if "GW-330" in line]
                self.assertEqual(len(told), 1, err)
                self.assertRegex(told[0], rf"^gangway: error GW-330: {function} of \S*/{library}, called by {PROGRAM}\+0x\w+, was ended by {signal}\b")
                self.assertRegex(err, rf"gangway:     {function} by {PROGRAM}\+0x")
                self.assertRegex(err, rf"gangway:   library \S*/{library} \(\w+ " + (r"of a release" if "cudnn" in library else r"13\."))
                self.assertRegex(err, "(?m)^gangway:   findings before: none$")
                self.assertIn(f"gangway:     {PROGRAM}+0x", err.split("stack, the innermost frame first:")[1], "the caller is on the stack")

    def test_the_stack_is_that_of_the_program_as_it_is_written(self):
        for how, chain in CHAINS.items():
            with self.subTest(how):
                _, err = self.the_same([PROGRAM, *how.split()])
                stack = err.split("stack, the innermost frame first:\n")[1]
                named = [f"{function} of {os.path.basename(path)}" for path, function in re.findall(r"(?m)^gangway:     (\S+)\+0x\w+ in (\w+)\+0x", stack)]
                last = named.index(chain[-1])
                self.assertEqual(named[last + 1 - len(chain):last + 1], chain, err)
                # to the end, and no word that merely looked like a frame
                self.assertRegex(stack, r"libc\.so\.6\+0x\w+[^\n]*\n\Z" if how == "thread" else r"crash\+0x\w+ in _start\+0x\w+\n\Z")
                self.assertEqual("a guess" in stack, how == "corrupted_stack", err)
                self.assertNotIn("may be left over", stack)

    def test_a_vendors_memory_is_told_outside_of_calls(self):
        _, err = self.the_same([PROGRAM, "outside_memory"])
        self.assertRegex(err, rf"GW-330: outside of any call that was seen, {PROGRAM} was ended by SIGSEGV at address 0x\w+ \(\S*/libcublas\w*.so.13\+0x")

    def test_other_signals_are_the_programs_own(self):
        for how in UNTOLD:
            with self.subTest(how):
                _, err = self.the_same([PROGRAM, *how.split()])
                self.assertNotIn("gangway", err)

    def test_nothing_is_told_when_it_is_off(self):
        for value in "0", "":
            _, err = self.the_same([PROGRAM, "wrong_handle"], GANGWAY_CRASH=value)
            self.assertEqual(err, "")
        _, err = self.the_same([PROGRAM, "wrong_handle"], GANGWAY_DISABLE="1")
        self.assertEqual(err, "")

    def test_the_files_get_the_report_and_quiet_is_obeyed(self):
        findings = os.path.join(WORK, "findings")
        for path in LOG, findings:
            if os.path.exists(path):
                os.unlink(path)
        _, err = self.the_same([PROGRAM, "corrupted_heap"], GANGWAY_LOG=LOG, GANGWAY_FINDINGS=findings, GANGWAY_QUIET="1")
        self.assertNotIn("gangway", err)
        with open(findings) as file:
            self.assertIn("GW-330: cublasDestroy_v2", file.read())
        with open(LOG) as file:
            records = [json.loads(line) for line in file]
        told, = [record for record in records if record["type"] == "finding"]
        self.assertEqual(told["code"], "GW-330")
        self.assertIn("libcublas.so.13 (cublas 13.", "\n".join(told["report"]))

    def test_python_with_faulthandler(self):
        code = ("import ctypes, {0}faulthandler; l = ctypes.CDLL('libcublas.so.13'); h = ctypes.c_void_p(); l.cublasCreate_v2(ctypes.byref(h)); {1}"
                "l.cublasDestroy_v2(ctypes.c_void_p(0x1000))")
        for name, first, second in (("none", "sys as ", ""), ("before", "faulthandler; ", ""), ("after", "", "faulthandler.enable(); ")):
            with self.subTest(name):
                options = ["-X", "faulthandler"] if name == "before" else []
                source = code.format("" if name != "none" else "sys as ", second)
                status, err = self.the_same([sys.executable, "-I", *options, "-c", source])
                self.assertTrue(os.WIFSIGNALED(status))
                self.assertEqual("Fatal Python error: Segmentation fault" in err, name != "none")
                self.assertRegex(err, r"GW-330: cublasDestroy_v2 of \S*/libcublas.so.13")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
