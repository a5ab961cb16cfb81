# SPDX-License-Identifier: Apache-2.0
"""int8 products of unmodified bitsandbytes libraries on a GPU that has no kernel for their memory orders, through gangway.

rescue.py exact LIBRARY CUDART          every exported product in every order, 40 random shapes each: every element compared with numpy's
rescue.py refused LIBRARY CUDART        the same calls have to be refused (without the rescue)
rescue.py time LIBRARY CUDART           n = k = 4096, rescued beside the plain product of the library, in turns, medians
rescue.py graph LIBRARY CUDART          odd sizes in a captured graph that is replayed, and 4 threads on 4 streams (bitsandbytes 0.45)
rescue.py kernels PTX                   what each of gangway's own kernels costs
rescue.py probe                         what the library itself takes: plain factors, a tiled result
--host after the mode: on host memory, for libraries that compute there. Exit status 1 on any difference or error.
"""
import ctypes
import statistics
import sys
import threading
import time

import numpy as np

SHAPES, SEED = 40, 5
COL32, TURING, AMPERE, PLAIN = "COL32", "COL4_4R2_8C", "COL32_2R_4R4", "COL"
CUDA_R_32F, CUDA_R_8I, CUDA_R_32I, COMPUTE_32I, OP_T, ORDER, TRANSA, MAX_WORKSPACE = 0, 3, 10, 72, 1, 1, 3, 1


def up(value, to):
    return (value + to - 1) // to * to


def leading(order, rows):
    """The leading dimension that bitsandbytes gives a matrix of so many rows."""
    return {COL32: 32 * rows, TURING: 32 * up(rows, 8), AMPERE: 32 * up(rows, 32), PLAIN: rows}[order]


def places(order, rows, columns):
    """Where each element lies; the measured formulas."""
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    ld, tile, c = leading(order, rows), j // 32, j % 32
    if order == PLAIN:
        return i + j * ld
    if order == COL32:
        return tile * ld + 32 * i + c
    if order == TURING:
        r = i % 8
        return tile * ld + 256 * (i // 8) + 128 * (r % 2) + 16 * (c // 4) + 4 * (r // 2) + c % 4
    r = i % 32
    return tile * ld + 1024 * (i // 32) + 32 * (2 * (4 * ((r % 8) // 2) + r // 8) + r % 2) + c


def size(order, rows, columns):
    return leading(order, rows) * (columns if order == PLAIN else up(columns, 32) // 32)


def laid_out(matrix, order, random):
    """MATRIX in ORDER, noise between its elements."""
    flat = random.integers(-128, 128, size(order, *matrix.shape), dtype=np.int8)
    flat[places(order, *matrix.shape)] = matrix
    return flat


class Device:
    def __init__(self, cudart):
        self.runtime = runtime = ctypes.CDLL(cudart, ctypes.RTLD_GLOBAL)
        runtime.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        runtime.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        runtime.cudaFree.argtypes = [ctypes.c_void_p]
        runtime.cudaGetErrorString.restype = ctypes.c_char_p
        for name in ("cudaEventRecord", "cudaEventElapsedTime", "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate",
                     "cudaGraphLaunch", "cudaStreamSynchronize", "cudaMemcpyAsync"):
            getattr(runtime, name).argtypes = None

    def check(self, status, what):
        if status:
            raise SystemExit(f"{what}: {self.runtime.cudaGetErrorString(status).decode()}")

    def take(self, count):
        pointer = ctypes.c_void_p()
        self.check(self.runtime.cudaMalloc(ctypes.byref(pointer), max(count, 1)), "cudaMalloc")
        return pointer

    def put(self, array, pointer=None):
        pointer = pointer or self.take(array.nbytes)
        self.check(self.runtime.cudaMemcpy(pointer, array.ctypes.data, array.nbytes, 1), "cudaMemcpy")
        return pointer

    def get(self, pointer, array):
        self.wait()
        self.check(self.runtime.cudaMemcpy(array.ctypes.data, pointer, array.nbytes, 2), "cudaMemcpy")
        return array

    def free(self, *pointers):
        for pointer in pointers:
            self.check(self.runtime.cudaFree(pointer), "cudaFree")

    def wait(self):
        self.check(self.runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize")

    def events(self, count):
        events = [ctypes.c_void_p() for _ in range(count)]
        for event in events:
            self.check(self.runtime.cudaEventCreate(ctypes.byref(event)), "cudaEventCreate")
        return events

    def time(self, function, times):
        """us that TIMES calls of FUNCTION take on the GPU, one."""
        first, last = self.events(2)
        self.runtime.cudaEventRecord(first, None)
        for _ in range(times):
            function()
        self.runtime.cudaEventRecord(last, None)
        self.wait()
        elapsed = ctypes.c_float()
        self.check(self.runtime.cudaEventElapsedTime(ctypes.byref(elapsed), first, last), "cudaEventElapsedTime")
        for event in (first, last):
            self.runtime.cudaEventDestroy(event)
        return elapsed.value * 1000 / times


class Host:
    """Memory for fake vendor libraries, which are told to have no kernels for tiled orders."""

    def refuse_tiled(self):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for path in {line.split()[-1] for line in maps if "libcublasLt.so" in line}:
                refuse = getattr(ctypes.CDLL(path), "gwfake_set", None)
                if refuse:
                    refuse(b"refuse_tiled", ctypes.c_long(1))

    def put(self, array):
        return ctypes.c_void_p(array.ctypes.data)

    def get(self, _, array):
        return array

    def free(self, *_):
        pass


class Bits:
    """bitsandbytes' exported int8 products: (name, weight order, bits of the result, scaled by row)."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.get_context.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.library.get_context())
        self.products = []
        for prefix, order in (("cigemmlt_turing_", TURING), ("cigemmlt_ampere_", AMPERE), ("cigemmlt_", PLAIN)):
            for suffix, bits, scaled in (("32", 32, False), ("8", 8, False), ("8_rowscale", 8, True)):
                function = getattr(self.library, prefix + suffix, None)
                if function:
                    function.argtypes = [ctypes.c_void_p, *3 * [ctypes.c_int], *4 * [ctypes.c_void_p], *3 * [ctypes.c_int], ctypes.c_void_p]
                    function.restype = ctypes.c_int
                    self.products.append((prefix + suffix, order, bits, scaled, function))

    def call(self, function, order, m, n, k, a, b, c, scale, stream=None):
        """C = A B', m x k and n x k; in plain order as 0.45 has it: C (columns first) = A' B, where A is k x m and B k x n."""
        if order == PLAIN:
            return function(self.context, k, n, m, a, b, c, scale, k, k, m, stream)
        return function(self.context, m, n, k, a, b, c, scale, leading(COL32, m), leading(order, n), leading(COL32, m), stream)


def numbers(random, bits, m, n, k):
    most = 128 if bits == 32 else 3
    return [random.integers(-most, most, shape, dtype=np.int8) for shape in ((m, k), (n, k))]


def expected_of(a, b, bits, scale):
    sums = (a.astype(np.float64) @ b.T.astype(np.float64)).astype(np.int64)     # exact: k is below 2^38
    if bits == 32:
        return sums.astype(np.int32)
    with np.errstate(over="ignore"):
        scaled = sums.astype(np.float32) * (np.float32(1) if scale is None else scale[:, None])
    return np.clip(np.rint(scaled), -128, 127).astype(np.int8)


def one(bits_library, memory, product, random, m, n, k, stream=None):
    name, order, bits, scaled, function = product
    a, b = numbers(random, bits, m, n, k)
    scale = (random.integers(-1000, 1000, m) / np.float32(37 * k ** 0.5)).astype(np.float32) if scaled else None
    if scaled and random.integers(3) == 0:
        scale[:] = 0.5      # ties
    stored = [np.asfortranarray(x.T).ravel("K") if order == PLAIN else laid_out(x, o, random) for x, o in ((a, COL32), (b, order))]
    result = PLAIN if order == PLAIN else COL32
    c = np.full(size(result, m, n), 77, dtype=np.int32 if bits == 32 else np.int8)
    device = [memory.put(x) for x in (*stored, c, scale if scaled else np.zeros(1, np.float32))]
    status = bits_library.call(function, order, m, n, k, *device[:3], device[3] if scaled else None, stream)
    memory.get(device[2], c)
    memory.free(*device)
    where = places(result, m, n)
    wrong = int((c[where] != expected_of(a, b, bits, scale)).sum())
    rest = np.ones(c.size, bool)
    rest[where] = False
    return status, wrong, int((c[rest] != 77).sum())


def shapes(random, large):
    for i in range(SHAPES):
        most = (large, 512, 96)[i % 3]
        yield tuple(int(x) * (32 if i % 4 == 3 else 1) for x in random.integers(1, most // (32 if i % 4 == 3 else 1) + 1, 3))


def exact(path, memory, expect_refusal, large):
    library, random, bad = Bits(path), np.random.default_rng(SEED), 0
    if isinstance(memory, Host):
        memory.refuse_tiled()
    for product in library.products:
        right = refused = 0
        for m, n, k in shapes(random, large):
            status, wrong, around = one(library, memory, product, random, m, n, k)
            right += not status and not wrong
            refused += status != 0
            if (status or wrong or around) and not expect_refusal:
                print(f"{product[0]} m {m} n {n} k {k}: status {status}, {wrong} of {m * n} elements wrong, {around} written around them")
        good = refused == SHAPES if expect_refusal and product[1] != PLAIN else right == SHAPES or expect_refusal
        bad += not good
        print(f"{product[0]} ({COL32 if product[1] != PLAIN else PLAIN} x {product[1]}): {right} of {SHAPES} exact, {refused} refused", flush=True)
    print("all as expected" if library.products and not bad else "not as expected")
    return int(bad or not library.products)


class Plain:
    """The library's own plain product D = A' B of int8, through its public interface."""

    def __init__(self, name="libcublasLt.so.13"):
        self.lt = ctypes.CDLL(name)
        self.handle = ctypes.c_void_p()
        if self.lt.cublasLtCreate(ctypes.byref(self.handle)):
            raise SystemExit("cublasLtCreate failed")

    def layout(self, kind, rows, columns, ld, order=0):
        made = ctypes.c_void_p()
        self.lt.cublasLtMatrixLayoutCreate(ctypes.byref(made), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(ld))
        if order:
            self.lt.cublasLtMatrixLayoutSetAttribute(made, ORDER, ctypes.byref(ctypes.c_int32(order)), ctypes.c_size_t(4))
        return made

    def desc(self):
        made = ctypes.c_void_p()
        self.lt.cublasLtMatmulDescCreate(ctypes.byref(made), COMPUTE_32I, CUDA_R_32I)
        self.lt.cublasLtMatmulDescSetAttribute(made, TRANSA, ctypes.byref(ctypes.c_int32(OP_T)), ctypes.c_size_t(4))
        return made

    def problem(self, m, n, k, order=0, ld=None):
        return self.desc(), self.layout(CUDA_R_8I, k, m, k), self.layout(CUDA_R_8I, k, n, k), self.layout(CUDA_R_32I, m, n, ld or m, order)

    def choose(self, problem, workspace):
        preference, result, count = ctypes.c_void_p(), ctypes.create_string_buffer(96), ctypes.c_int()
        self.lt.cublasLtMatmulPreferenceCreate(ctypes.byref(preference))
        self.lt.cublasLtMatmulPreferenceSetAttribute(preference, MAX_WORKSPACE, ctypes.byref(ctypes.c_uint64(workspace)), ctypes.c_size_t(8))
        desc, a, b, c = problem
        status = self.lt.cublasLtMatmulAlgoGetHeuristic(self.handle, desc, a, b, c, c, preference, 1, result, ctypes.byref(count))
        return (None if status or not count.value else result), status

    def multiply(self, problem, a, b, d, algo=None, workspace=None, size_of=0):
        one_, zero = ctypes.c_int32(1), ctypes.c_int32(0)
        desc, la, lb, lc = problem
        return self.lt.cublasLtMatmul(self.handle, desc, ctypes.byref(one_), a, la, b, lb, ctypes.byref(zero), d, lc, d, lc, algo, workspace,
                                      ctypes.c_size_t(size_of), None)


def spread(values):
    values = sorted(values)
    return f"{statistics.median(values):7.1f} ({values[len(values) // 4]:.1f} to {values[-1 - len(values) // 4]:.1f})"


def timing(path, memory):
    library, plain, n, k, bad = Bits(path), Plain(), 4096, 4096, 0
    random = np.random.default_rng(SEED)
    workspace = memory.take(32 << 20)
    products = [p for p in library.products if p[2] == 32 and p[1] != PLAIN] or [p for p in library.products if p[2] == 32]
    print("| m | product | us, median (quartiles) of 40 times 20 | plain product | plain, 4 MiB | of the plain product | one call, to its end | plain |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for m, limit in ((16, 3.0), (128, None), (512, None), (2048, 2.0)):
        a, b = numbers(random, 32, m, n, k)
        device_plain = [memory.put(np.ascontiguousarray(x)) for x in (a, b)]
        d = memory.take(m * n * 4)
        problem = plain.problem(n, m, k)
        algo, _ = plain.choose(problem, 4 << 20)
        def simple():
            if plain.multiply(problem, device_plain[1], device_plain[0], d):
                raise SystemExit("the plain product fails")
        def chosen():
            if plain.multiply(problem, device_plain[1], device_plain[0], d, algo, workspace, 4 << 20):
                raise SystemExit("the plain product fails")
        for product in products:
            order = product[1]
            stored = [memory.put(laid_out(x, o, random)) for x, o in ((a, COL32), (b, order))] if order != PLAIN else device_plain
            def rescued():
                status = library.call(product[4], order, m, n, k, *stored, d, None)
                if status:
                    raise SystemExit(f"{product[0]}: status {status}")
            took = {f: [] for f in (rescued, simple, chosen)}
            for f in took:
                memory.time(f, 50)
            for _ in range(40):
                for f, list_ in took.items():
                    list_.append(memory.time(f, 20))
            alone = {rescued: [], simple: []}
            for _ in range(60):
                for f, list_ in alone.items():
                    memory.wait()
                    start = time.perf_counter()
                    f()
                    memory.wait()
                    list_.append((time.perf_counter() - start) * 1e6)
            ratio = statistics.median(took[rescued]) / statistics.median(took[simple])
            bad += limit is not None and ratio > limit
            print(f"| {m} | {product[0]} | {spread(took[rescued])} | {spread(took[simple])} | {spread(took[chosen])} | {ratio:.2f}"
                  f"{'' if limit is None else f' (at most {limit})'} | {spread(alone[rescued])} | {spread(alone[simple])} |", flush=True)
            if order != PLAIN:
                memory.free(*stored)
        memory.free(*device_plain, d)
    start = time.perf_counter()
    print("in time" if not bad else "too slow")
    return int(bool(bad))


def graph(path, memory):
    library = Bits(path)
    product = next((p for p in library.products if p[1] == PLAIN and p[2] == 32), None)
    if not product:
        print("no product that takes a stream")
        return 1
    runtime, random, m, n, k, bad = memory.runtime, np.random.default_rng(SEED), 77, 45, 131, 0
    stream = ctypes.c_void_p()
    memory.check(runtime.cudaStreamCreate(ctypes.byref(stream)), "cudaStreamCreate")
    a, b = numbers(random, 32, m, n, k)
    device = [memory.put(np.ascontiguousarray(x)) for x in (a, b)] + [memory.take(m * n * 4)]
    def call():
        return library.call(product[4], PLAIN, m, n, k, *device, None, stream)
    def read():
        c = np.zeros(m * n, np.int32)
        memory.get(device[2], c)
        return c.reshape(n, m).T
    print("before the capture: status", call(), "exact", bool((read() == expected_of(a, b, 32, None)).all()))
    captured, executable = ctypes.c_void_p(), ctypes.c_void_p()
    memory.check(runtime.cudaStreamBeginCapture(stream, 0), "cudaStreamBeginCapture")
    status = call()
    memory.check(runtime.cudaStreamEndCapture(stream, ctypes.byref(captured)), "cudaStreamEndCapture")
    bad += status != 0
    memory.check(runtime.cudaGraphInstantiate(ctypes.byref(executable), captured, None, None, 0), "cudaGraphInstantiate")
    for turn in range(5):
        a, b = numbers(random, 32, m, n, k)
        memory.put(np.ascontiguousarray(a), device[0])
        memory.put(np.ascontiguousarray(b), device[1])
        memory.put(np.zeros(m * n, np.int32), device[2])
        memory.check(runtime.cudaGraphLaunch(executable, stream), "cudaGraphLaunch")
        same = bool((read() == expected_of(a, b, 32, None)).all())
        bad += not same
        # Between replays, calls outside the graph must not touch what it uses.
        call()
    print(f"captured: status {status}, 5 replays, {bad} wrong")
    runtime.cudaGraphExecDestroy(executable)
    runtime.cudaGraphDestroy(captured)
    wrong = []
    def work(number):
        own, mine = np.random.default_rng(number), ctypes.c_void_p()
        runtime.cudaStreamCreate(ctypes.byref(mine))
        for _ in range(50):
            size_ = [int(x) for x in own.integers(1, 200, 3)]
            result = one(library, memory, product, own, *size_, stream=mine)
            if any(result):
                wrong.append((size_, result))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"4 threads on 4 streams: {len(wrong)} of 200 wrong", wrong[:3])
    print("graph and threads exact" if not bad and not wrong else "graph or threads not exact")
    return int(bool(bad or wrong))


class Factor(ctypes.Structure):
    _fields_ = [("from_", ctypes.c_void_p), ("to", ctypes.c_void_p), *((n, ctypes.c_int64) for n in ("ld", "stride", "to_stride")),
                *((n, ctypes.c_int32) for n in ("rows", "k", "pitch", "order", "transposed", "vector")),
                *((n, ctypes.c_uint32) for n in ("blocks", "across", "unused"))]


class Gather(ctypes.Structure):
    _fields_ = [("factor", Factor * 2)]


class Finish(ctypes.Structure):
    _fields_ = [*((n, ctypes.c_void_p) for n in ("sum", "d", "c", "alpha_at", "beta_at", "bias")),
                *((n, ctypes.c_int64) for n in ("sum_ld", "sum_stride", "ld", "stride", "c_ld", "c_stride", "alpha_stride", "bias_stride")),
                *((n, ctypes.c_uint32) for n in ("alpha", "beta")),
                *((n, ctypes.c_int32) for n in ("x", "y", "order", "is_float", "alpha_step", "beta_step", "relu", "vector"))]


def kernels(ptx, memory):
    driver, module, gather, finish = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    n = k = 4096
    buffers = [memory.take(64 << 20) for _ in range(4)]
    with open(ptx, "rb") as file:
        text = file.read() + b"\0"
    start = time.perf_counter()
    status = driver.cuModuleLoadData(ctypes.byref(module), text)
    print(f"the driver takes the kernels: status {status}, {1e3 * (time.perf_counter() - start):.1f} ms")
    driver.cuModuleGetFunction(ctypes.byref(gather), module, b"gw_int8_gather")
    driver.cuModuleGetFunction(ctypes.byref(finish), module, b"gw_int8_finish")

    def launch(function, parameter, x, y):
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(parameter))
        if driver.cuLaunchKernel(function, x, y, 1, 256, 1, 1, 0, None, pointers, None):
            raise SystemExit("cuLaunchKernel fails")
    for m in (16, 128, 512, 2048):
        row = []
        for order, number in ((TURING, 3), (AMPERE, 4)):
            for both in (True, False):
                p = Gather()
                for f, rows, kind, ld, at in ((p.factor[0], m, 2, 32 * m, 0), (p.factor[1], n, number, leading(order, n), 1)):
                    f.from_, f.to, f.ld, f.rows, f.k, f.pitch, f.order, f.vector = buffers[at].value, buffers[2 + at].value, ld, rows, k, k, kind, 1
                    f.across, f.blocks = k // 128, k // 128 * (up(rows, 128) // 128)
                if not both:
                    p.factor[0].blocks = 0
                took = [memory.time(lambda p=p: launch(gather, p, p.factor[0].blocks + p.factor[1].blocks, 1), 20) for _ in range(30)]
                row.append(f"{order}{' with A' if both else ' alone'} {statistics.median(took):.1f}")
        p = Finish(sum=buffers[0].value, d=buffers[1].value, sum_ld=n, ld=32 * m, alpha=1, x=n, y=m, order=2, vector=1)
        took = [memory.time(lambda: launch(finish, p, up(n, 256) // 256, up(m, 16) // 16), 20) for _ in range(30)]
        print(f"m {m}: us: {', '.join(row)}, sums to COL32 {statistics.median(took):.1f}", flush=True)
    return 0


def probe(memory):
    plain, m, n, k = Plain(), 2048, 4096, 4096
    a, b, d, w = memory.take(k * n), memory.take(k * n), memory.take(4 * m * n), memory.take(4 << 20)
    for what, problem in (("plain factors, plain result", plain.problem(n, m, k)),
                          ("plain factors, COL32 result", plain.problem(m, n, k, 2, 32 * m))):
        algo, status = plain.choose(problem, 4 << 20)
        print(f"{what}: heuristic {status}, product {plain.multiply(problem, a, b, d)}"
              f", with the algorithm {plain.multiply(problem, a, b, d, algo, w, 4 << 20) if algo else '-'}")
    refused = plain.desc(), plain.layout(CUDA_R_8I, m, k, 32 * m, 2), plain.layout(CUDA_R_8I, n, k, leading(AMPERE, n), 4), \
        plain.layout(CUDA_R_32I, m, n, 32 * m, 2)
    plain.lt.cublasLtMatmulDescSetAttribute(refused[0], TRANSA, ctypes.byref(ctypes.c_int32(0)), ctypes.c_size_t(4))
    plain.lt.cublasLtMatmulDescSetAttribute(refused[0], TRANSA + 1, ctypes.byref(ctypes.c_int32(1)), ctypes.c_size_t(4))
    took = []
    for _ in range(30):
        start = time.perf_counter()
        status = plain.multiply(refused, a, b, d)
        took.append((time.perf_counter() - start) * 1e6)
    print(f"COL32 x COL32_2R_4R4: {status}, refused in {spread(took)} us")
    for y in (1, 2, 3, 5, 16, 33):
        for x in (4, 8, 12, 100, 4096):
            for depth in (32, 64, 96, 160, 4096):
                problem = plain.problem(x, y, depth)
                status = plain.multiply(problem, a, b, d)
                if status:
                    print(f"plain {x} x {y} x {depth}: {status}")
    memory.wait()
    return 0


def main(arguments):
    mode = arguments.pop(0)
    host = "--host" in arguments
    arguments = [a for a in arguments if a != "--host"]
    if mode in ("exact", "refused"):
        return exact(arguments[0], Host() if host else Device(arguments[1]), mode == "refused", 160 if host else 1500)
    if mode == "time":
        return timing(arguments[0], Device(arguments[1]))
    if mode == "graph":
        return graph(arguments[0], Device(arguments[1]))
    if mode == "kernels":
        return kernels(arguments[0], Device(arguments[1]))
    if mode == "probe":
        return probe(Device(arguments[0]))
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
