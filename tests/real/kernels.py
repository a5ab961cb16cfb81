#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gangway's kernels are text that the assemblers of CUDA 11.7 and 12.1 take, for each GPU from Volta to Hopper, without memory for spilled registers.

usage: kernels.py ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, "tests", "wheels"))
import wheels  # noqa: E402

PTXAS = "nvidia/cuda_nvcc/bin/ptxas"


class Kernels(unittest.TestCase):
    def test_the_vendors_assemblers_take_them(self):
        for package, version, gpus in (("nvidia-cuda-nvcc-cu11", "11.7.99", (70, 75, 80, 86)), ("nvidia-cuda-nvcc-cu12", "12.1.105", (80, 89, 90))):
            with tempfile.TemporaryDirectory() as work:
                ptxas = shutil.copy(wheels.unpack(wheels.find(package, version), [PTXAS]) / PTXAS, work)
                os.chmod(ptxas, 0o755)
                for gpu in gpus:
                    with self.subTest(version=version, gpu=gpu):
                        done = subprocess.run([ptxas, "-v", f"-arch=sm_{gpu}", os.path.join(ROOT, "shim", "kernels", "int8.ptx"), "-o", os.devnull],
                                              capture_output=True, text=True, check=False)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertEqual(done.stderr.count("0 bytes spill stores, 0 bytes spill loads"), 2, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
