# SPDX-License-Identifier: Apache-2.0
"""Integer products of random shapes, by an unmodified bitsandbytes library or, as a control, by cuBLAS itself.

cigemm.py LIBRARY CUDART            bitsandbytes' cigemm
cigemm.py --native LIBCUBLAS CUDART the same products through cublasGemmEx, with nothing of ours in the process
cigemm.py --host LIBRARY            bitsandbytes' cigemm on host memory, for libraries that compute there
cigemm.py --load LIBRARY            only loads it: as far as a machine without a GPU goes

Every element is compared with numpy's own product. Exit status 1 on any difference or error. Ends with one line for the table.
"""
import ctypes
import sys

import numpy as np

SHAPES = 20
CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT = 3, 10, 72, -1


class Memory:
    """Device memory, through the runtime that the library itself was built with."""

    def __init__(self, cudart):
        self.runtime = ctypes.CDLL(cudart, ctypes.RTLD_GLOBAL)
        self.runtime.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        self.runtime.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.runtime.cudaFree.argtypes = [ctypes.c_void_p]
        self.runtime.cudaGetErrorString.restype = ctypes.c_char_p

    def check(self, status, what):
        if status:
            raise SystemExit(f'{what}: {self.runtime.cudaGetErrorString(status).decode()}')

    def put(self, array):
        pointer = ctypes.c_void_p()
        self.check(self.runtime.cudaMalloc(ctypes.byref(pointer), array.nbytes), 'cudaMalloc')
        self.check(self.runtime.cudaMemcpy(pointer, array.ctypes.data, array.nbytes, 1), 'cudaMemcpy')
        return pointer

    def get(self, pointer, array):
        self.check(self.runtime.cudaDeviceSynchronize(), 'cudaDeviceSynchronize')
        self.check(self.runtime.cudaMemcpy(array.ctypes.data, pointer, array.nbytes, 2), 'cudaMemcpy')
        return array

    def free(self, *pointers):
        for pointer in pointers:
            self.check(self.runtime.cudaFree(pointer), 'cudaFree')


class HostMemory:
    """The same for fake vendor libraries, which compute where the array lies."""

    def put(self, array):
        return array.ctypes.data

    def get(self, _, array):
        return array

    def free(self, *_):
        pass


def bitsandbytes(path):
    library = ctypes.CDLL(path)
    library.get_context.restype = ctypes.c_void_p
    library.cigemm.argtypes = ([ctypes.c_void_p, ctypes.c_bool, ctypes.c_bool] + 3 * [ctypes.c_int32]
                               + 3 * [ctypes.c_void_p] + 3 * [ctypes.c_int32])
    library.cigemm.restype = None
    context = ctypes.c_void_p(library.get_context())

    def product(ta, tb, m, n, k, a, b, c, lda, ldb, ldc):
        library.cigemm(context, ta, tb, m, n, k, a, b, c, lda, ldb, ldc)
        return 0
    return product


def native(path):
    library = ctypes.CDLL(path)
    handle = ctypes.c_void_p()
    status = library.cublasCreate_v2(ctypes.byref(handle))
    if status:
        raise SystemExit(f'cublasCreate: status {status}')
    one, zero = ctypes.c_int32(1), ctypes.c_int32(0)

    def product(ta, tb, m, n, k, a, b, c, lda, ldb, ldc):
        return library.cublasGemmEx(handle, int(ta), int(tb), m, n, k, ctypes.byref(one), a, CUDA_R_8I, lda,
                                    b, CUDA_R_8I, ldb, ctypes.byref(zero), c, CUDA_R_32I, ldc,
                                    CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT)
    return product


def one_shape(product, memory, random):
    """True where every element is right. Column-major, as cuBLAS sees it; leading dimensions are multiples of 4."""
    m, n = (int(4 * random.integers(1, 256)) for _ in range(2))
    k = int(4 * random.integers(32, 256))    # cuBLAS 13.1 itself refuses some shorter ones: 804 x 600 x 52 NN, 104 x 720 x 24 TT
    ta, tb = (bool(random.integers(2)) for _ in range(2))
    a = random.integers(-128, 128, (m, k), dtype=np.int8)
    b = random.integers(-128, 128, (k, n), dtype=np.int8)
    stored_a = np.asfortranarray(a.T if ta else a)
    stored_b = np.asfortranarray(b.T if tb else b)
    c = np.asfortranarray(np.full((m, n), -1, dtype=np.int32))
    device = [memory.put(array) for array in (stored_a, stored_b, c)]
    status = product(ta, tb, m, n, k, *device, stored_a.shape[0], stored_b.shape[0], m)
    memory.get(device[2], c)
    memory.free(*device)
    wrong = int((c != a.astype(np.int64) @ b.astype(np.int64)).sum())
    if status or wrong:
        print(f'm {m} n {n} k {k} {"T" if ta else "N"}{"T" if tb else "N"}: status {status}, {wrong} of {m * n} elements wrong')
    return not status and not wrong


def main(arguments):
    how = arguments.pop(0) if arguments[0].startswith('--') else ''
    path = arguments[0]
    if how == '--load':
        ctypes.CDLL(path)
        print('loaded')
        return 0
    memory = HostMemory() if how == '--host' else Memory(arguments[1])
    product = native(path) if how == '--native' else bitsandbytes(path)
    random = np.random.default_rng(37)
    right = sum(one_shape(product, memory, random) for _ in range(SHAPES))
    print(f'{right} of {SHAPES} shapes exact')
    return 0 if right == SHAPES else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
