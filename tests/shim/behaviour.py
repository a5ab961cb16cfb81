#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what the shim promises to its host: probes, copies, files, signals, errors. One process a case (behaviour.c).

usage: behaviour.py CC SHIM_DIR FAKE_DIR CUBLAS_OLD CUBLAS_MIDDLE CUBLAS_OTHER CUBLAS_NEW CUDNN_NEW WORK_DIR
FAKE_DIR/NAME/lib has the fake release NAME; cublas of majors 11, 12, 13 and 13, cuDNN of major 9.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CC, SHIM, FAKE, OLD, MIDDLE, OTHER, NEW, CUDNN, WORK = sys.argv[1:10]
OLD, MIDDLE, OTHER, NEW, CUDNN = [os.path.join(FAKE, n, "lib") for n in (OLD, MIDDLE, OTHER, NEW, CUDNN)]
FACADES = os.path.join(SHIM, "facades")
PRELOAD = os.path.join(SHIM, "libgangway.so")
NOT_SUPPORTED = "15"    # CUBLAS_STATUS_NOT_SUPPORTED, in every release


def compile_to(output, source, *flags, optimise="-O2"):
    os.makedirs(os.path.dirname(output), exist_ok=True)
    subprocess.run([*CC.split(), "-std=gnu11", optimise, "-g", "-Wall", "-Wextra", "-Werror", "-pthread", os.path.join(HERE, source), "-o", output, *flags],
                   check=True)
    return output


def small(path, answer, node=None, soname=True, *flags):
    """A tiny cublasLt; with a node it is the vendor's."""
    name = os.path.basename(path)
    flags = ["-shared", "-fPIC", f"-DANSWER={answer}", *([f"-Wl,-soname,{node or name}"] if soname else []), *flags]
    if node:
        script = os.path.join(WORK, node + ".map")
        with open(script, "w", encoding="utf-8") as file:
            file.write(node + " { global: *; };\n")
        flags.append("-Wl,--version-script=" + script)
    return compile_to(path, "small.c", *flags)


class Behaviour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(WORK, exist_ok=True)
        cls.program = compile_to(os.path.join(WORK, "behaviour"), "behaviour.c", "-ldl")
        cls.vendor = small(os.path.join(WORK, "vendor", "libcublasLt.so.12"), 120000, "libcublasLt.so.12")

    def setUp(self):
        self.directory = tempfile.mkdtemp(dir=WORK)
        self.log = os.path.join(self.directory, "log")

    def tearDown(self):
        shutil.rmtree(self.directory)

    def run_case(self, *arguments, preload=(PRELOAD,), audit=False, path="", **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GANGWAY_", "LD_"))}
        env.update({"LD_LIBRARY_PATH": path, "LD_PRELOAD": ":".join(preload)})
        if audit:
            env["LD_AUDIT"] = os.path.join(SHIM, "libgangway-audit.so")
        env.update(more)
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, timeout=300, env=env, cwd=self.directory)
        registry.check(done.stderr)
        return done

    def fine(self, *arguments, **more):
        done = self.run_case(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        return done.stdout

    def records(self, kind="call", path=None):
        with open(path or self.log, encoding="utf-8") as lines:
            return [r for r in map(json.loads, lines) if r["type"] == kind]

    # What a facade answers.

    def test_a_target_that_appears_after_a_refused_call_is_found_by_the_next_one(self):
        for preload in (PRELOAD,), ():
            hidden, shown = os.path.join(self.directory, "hidden"), os.path.join(self.directory, "shown")
            shutil.copytree(NEW, hidden)
            done = self.run_case("missing", os.path.join(FACADES, "libcublasLt.so.11"), hidden, shown, preload=preload, GANGWAY_CUBLAS=shown)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.split(), [NOT_SUPPORTED, NOT_SUPPORTED, "0", "0", "111103"])
            self.assertEqual(done.stderr.count("GW-301"), 1, done.stderr)
            shutil.rmtree(shown)

    def test_what_a_missing_target_would_count_is_zero_and_not_the_last_status(self):
        facade = os.path.join(FACADES, "libcublasLt.so.12")
        done = self.run_case("refused", facade, "cublasLtGetCudartVersion", GANGWAY_CUBLAS=self.directory)
        self.assertEqual((done.returncode, done.stdout), (0, "0\n"), done.stderr)

    def test_a_handle_of_a_facade_finds_what_the_real_library_needs_and_answers_as_its_own_release(self):
        asks = "import ctypes, sys; f = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2]); f.restype = ctypes.c_size_t; print(f())"
        for soname, function, answer in (("libcublas.so.11", "cublasLtGetVersion", "111103"), ("libcublas.so.12", "cublasLtGetVersion", "120903"),
                                         ("libcudnn_cnn_train.so.8", "cudnnGetVersion", "8907"), ("libcudnn_adv_train.so.8", "cudnnGetVersion", "8907")):
            for preload in PRELOAD, "":
                env = dict(os.environ, LD_LIBRARY_PATH=f"{FACADES}:{NEW}:{CUDNN}", LD_PRELOAD=preload)
                done = subprocess.run([sys.executable, "-c", asks, soname, function], capture_output=True, text=True, timeout=60, env=env)
                self.assertEqual((done.stdout.strip(), done.stderr), (answer, ""), (soname, function, preload))

    def test_version_checks_that_are_answered_are_not_told_as_refused(self):
        asks = "import ctypes; print(ctypes.CDLL('libcudnn_cnn_infer.so.8').cudnnCnnInferVersionCheck())"
        env = dict(os.environ, LD_LIBRARY_PATH=f"{FACADES}:{CUDNN}", LD_PRELOAD=PRELOAD)
        done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual((done.stdout.strip(), done.stderr), ("0", ""))

    def test_a_setting_that_names_no_directory_is_one_finding_and_a_status(self):
        done = self.run_case("refused", os.path.join(FACADES, "libcublasLt.so.12"), "cublasLtMatmulDescCreate", GANGWAY_CUBLAS="/nowhere",
                             LD_LIBRARY_PATH=NEW)
        self.assertEqual((done.stdout.strip(), done.stderr.count("GW-")), (NOT_SUPPORTED, 1), done.stderr)
        self.assertIn("GW-301", done.stderr)

    def test_a_function_that_the_release_lacks_is_told_with_the_way_to_find_one_that_has_it(self):
        small(os.path.join(self.directory, "libcudnn.so.9"), 9, "libcudnn.so.9")
        for preload in (PRELOAD,), ():
            done = self.run_case("refused", os.path.join(FACADES, "libcudnn.so.8"), "cudnnCreate", preload=preload, GANGWAY_CUDNN=self.directory)
            self.assertEqual(done.stderr.count("GW-"), 1, done.stderr)
            self.assertRegex(done.stderr, "GW-303: cudnnCreate does not exist in .*; the program was told 'not supported'; "
                             "install a release that has the function: cudnn has it in every release\n")

    def test_a_target_without_its_partner_is_told_with_the_partners_name(self):
        shutil.copy(os.path.join(NEW, "libcublasLt.so.13"), self.directory)
        done = self.run_case("refused", os.path.join(FACADES, "libcublasLt.so.12"), "cublasLtMatmulDescCreate", GANGWAY_CUBLAS=self.directory)
        self.assertEqual((done.stdout.strip(), done.stderr.count("GW-")), (NOT_SUPPORTED, 1), done.stderr)
        self.assertRegex(done.stderr, f"GW-301: .*; one was found, but not its partner {self.directory}/libcublas.so.13; install the whole")

    def test_a_call_through_the_interposer_that_a_facade_cannot_serve_is_one_finding(self):
        asks = "import ctypes, sys; ctypes.CDLL(sys.argv[1], 256); print(ctypes.CDLL(None).cublasLtMatmulDescCreate(0, 0, 0))"
        env = dict(os.environ, LD_PRELOAD=PRELOAD, GANGWAY_CUBLAS=self.directory)
        done = subprocess.run([sys.executable, "-c", asks, os.path.join(FACADES, "libcublasLt.so.12")], capture_output=True, text=True,
                              timeout=60, env=env)
        self.assertEqual((done.stdout.strip(), done.stderr.count("GW-")), (NOT_SUPPORTED, 1), done.stderr)
        self.assertIn("GW-301", done.stderr)

    def test_a_call_that_nothing_mapped_can_answer_is_one_finding(self):
        source, library = os.path.join(self.directory, "alone.c"), os.path.join(self.directory, "alone.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write("unsigned long cublasLtGetVersion(void);\nunsigned long ask(void) { return cublasLtGetVersion() + 1; }\n")
        subprocess.run([*CC.split(), "-shared", "-fPIC", source, "-o", library], check=True)
        done = subprocess.run([sys.executable, "-c", "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).ask())", library], capture_output=True, text=True,
                              timeout=60, env=dict(os.environ, LD_PRELOAD=PRELOAD))
        self.assertEqual((done.stdout, registry.check(done.stderr)), ("1\n", ["GW-307"]), done.stderr)

    def test_a_target_that_the_loader_refuses_is_told_with_its_reason(self):
        for name in "libcublas.so.13", "libcublasLt.so.13":
            with open(os.path.join(self.directory, name), "wb") as file:
                file.write(b"\177ELF no library")
        done = self.run_case("refused", os.path.join(FACADES, "libcublasLt.so.12"), "cublasLtMatmulDescCreate", GANGWAY_CUBLAS=self.directory)
        self.assertEqual(done.stdout.strip(), NOT_SUPPORTED)
        self.assertEqual(done.stderr.count("GW-302"), 1, done.stderr)
        self.assertRegex(done.stderr, "libcublasLt.so.13.*too short")

    def test_a_private_symbol_is_refused_with_one_finding(self):
        done = self.run_case("refused", os.path.join(FACADES, "libcublasLt.so.11"), "cublasLtACCMatmul", GANGWAY_CUBLAS=NEW)
        self.assertEqual((done.stdout.strip(), done.stderr.count("GW-304")), (NOT_SUPPORTED, 1), done.stderr)
        self.assertRegex(done.stderr, r"install the release that its caller belongs to: cublas(Lt)? has it (from|up to|in) ")

    def test_a_facade_never_takes_a_facade_for_its_target(self):
        done = self.run_case("refused", "libcublasLt.so.11", "cublasLtMatmulDescCreate", preload=(), path=FACADES + ":" + MIDDLE)
        self.assertEqual((done.stdout, done.stderr), ("0\n", ""))

    def test_a_suite_comes_from_one_directory_whichever_facade_is_called_first(self):
        for name, function in ("libcublasLt.so.11", "cublasLtGetVersion"), ("libcublas.so.11", "cublasGetCudartVersion"):
            done = self.fine("maps", os.path.join(FACADES, name), function, path=OTHER, GANGWAY_CUBLAS=NEW)
            self.assertEqual({line for line in done.split() if ".so.13" in line}, {os.path.join(NEW, n) for n in ("libcublas.so.13", "libcublasLt.so.13")})

    def test_a_facade_of_another_build_is_refused_whole(self):
        with open(os.path.join(FACADES, "libcublasLt.so.12"), "rb") as file:
            content = file.read()
        with open(PRELOAD, "rb") as file:
            known = file.read()
        ids = [word for word in content.split(b"\0") if 5 < len(word) < 60 and word in known and b"gangway" not in word.lower() and
               content.count(b"\0" + word + b"\0") == 1 and known.count(b"\0" + word + b"\0") == 1 and word.startswith(self.build_id())]
        self.assertEqual(len(ids), 1, ids)
        other = os.path.join(self.directory, "libcublasLt.so.12")
        with open(other, "wb") as file:
            file.write(content.replace(b"\0" + ids[0] + b"\0", b"\0" + ids[0][:-1] + b"~\0"))
        done = self.run_case("refused", other, "cublasLtMatmulDescCreate", GANGWAY_CUBLAS=NEW)
        self.assertEqual((done.stdout.strip(), done.stderr.count("GW-306")), (NOT_SUPPORTED, 1), done.stderr)

    def build_id(self):
        self.fine("calls", self.vendor, 1, GANGWAY_LOG=self.log)
        return self.records("start")[0]["build"].encode()

    def test_every_status_of_cudnn_9_comes_out_as_one_that_8_has_a_name_for(self):
        known = [0, 1001, 1002, 2000, 2001, 2002, 2012, 3000, 3007, 4000, 4004, 5000, 5003]
        future = [1999, 2900, 3777, 4321, 5999, 1234, 6000, 77]
        done = self.fine("statuses", os.path.join(FACADES, "libcudnn.so.8"), os.path.join(CUDNN, "libcudnn.so.9"), *known, *future, GANGWAY_CUDNN=CUDNN)
        version, *out = map(int, done.split())
        self.assertEqual(version, 8907)
        named = set(range(0, 17))
        self.assertTrue(set(out) <= named, out)
        self.assertEqual(out[0], 0)
        self.assertEqual([out[known.index(c)] for c in (2000, 3000, 4000, 5000)], [3, 9, 4, 8])
        self.assertEqual(out[len(known):], [1, 3, 9, 4, 8, 1, 4, 4])

    # Probes.

    def test_probes_fail_as_without_us_where_nobody_has_the_function(self):
        self.fine("probes")

    def test_a_version_that_nobody_has_is_not_found_in_the_default_scope(self):
        self.fine("versions", self.vendor, "libcublasLt.so.12", "libcublasLt.so.13", 120000)

    def test_another_interposer_before_us_reaches_the_library_and_not_itself(self):
        for before in True, False:
            mine = compile_to(os.path.join(WORK, "next.so"), "next.c", "-shared", "-fPIC", "-ldl")
            caller = self.caller()
            done = self.fine("imports", caller, preload=(mine, PRELOAD, self.vendor) if before else (PRELOAD, mine, self.vendor), path=os.path.dirname(self.vendor), GANGWAY_LOG=self.log)
            self.assertEqual(int(done.split()[0]) % 1000000, 120000)
            if before:
                self.assertEqual(int(done.split()[0]), 1120000)
                self.assertIn(self.vendor, [r["target"] for r in self.records()])

    def caller(self, *flags, name="caller.so", **more):
        return compile_to(os.path.join(self.directory, name), "caller.c", "-shared", "-fPIC", "-Wl,--no-as-needed", *(flags or [self.vendor]), "-ldl", **more)

    def test_a_stub_that_has_some_functions_leaves_the_rest_to_the_library(self):
        stub = small(os.path.join(self.directory, "libstub.so"), 7, None, True, "-DONE_FUNCTION")
        plain = small(os.path.join(self.directory, "plain", "libcublasLt.so.12"), 120000)    # to link with: no versions in the caller
        caller = self.caller(stub, plain)
        os.unlink(plain)
        self.assertEqual(self.fine("imports", caller, path=self.directory + ":" + os.path.dirname(self.vendor)), "7 120001\n")

    # Copies that come and go.

    def copies(self, count, **more):
        result = []
        for i in range(count):
            result.append(small(os.path.join(WORK, "copies", str(i), "libcublasLt.so.12"), 1001 + i, "libcublasLt.so.12", **more))
        return result

    def test_copies_of_one_soname_are_each_asked_themselves(self):
        copies = self.copies(5)
        self.fine("together", 1000, *copies, GANGWAY_LOG=self.log)
        self.assertEqual([r["target"] for r in self.records()], copies * 2)

    def test_copies_that_come_and_go_are_all_seen_with_and_without_the_auditor(self):
        copies = self.copies(12) * 20
        answers = [(copy, i % 12) for i, copy in enumerate(copies)]
        for audit in False, True:
            log = self.log + str(audit)
            self.fine("turns", *copies, audit=audit, GANGWAY_LOG=log)
            self.assertEqual([r["target"] for r in self.records(path=log)], [copy for copy, _ in answers], audit)
            self.assertEqual([int(r["result"]) for r in self.records(path=log)], [1001 + n for _, n in answers])

    def test_5000_libraries_of_all_shapes_come_and_go(self):
        shapes = [compile_to(os.path.join(self.directory, "shape%d.so" % i), "plugin_shape.c", "-shared", "-fPIC", f"-DBYTES={size}", *flags)
                  for i, (size, flags) in enumerate([(1, []), (1 << 22, []), (1, ["-Wl,--hash-style=sysv"]), (70000, ["-Wl,-soname,libshape.so"]),
                                                     (1, ["-Wl,--hash-style=gnu", "-nostdlib"])])]
        links = []
        for i in range(1000):
            for k, shape in enumerate(shapes):
                copy = os.path.join(self.directory, f"{i}-{k}.so")
                if k == 1:
                    os.symlink(shape, copy)
                else:
                    shutil.copyfile(shape, copy)
                links.append(copy)
        for start in range(0, len(links), 2500):
            self.fine("thousands", self.vendor, *links[start:start + 2500], GANGWAY_LOG=self.log, GANGWAY_LOG_LEVEL="counts")
        self.assertEqual(sum(r["calls"] for r in self.records("count")), 5002)

    # Which file is opened.

    def test_callers_keep_their_own_search_list(self):
        small(os.path.join(self.directory, "sub", "libonlyhere.so"), 5)
        for optimise in "-O0", "-O2":
            for tags in "--enable-new-dtags", "--disable-new-dtags":
                caller = compile_to(os.path.join(self.directory, f"opener{optimise}{tags}.so"), "caller.c", "-shared", "-fPIC", "-DOPENS_ONLY",
                                    "-Wl,-rpath,$ORIGIN/sub", "-Wl," + tags, "-ldl", optimise=optimise)
                done = self.fine("opens", caller, "libonlyhere.so", GANGWAY_FACADE_DIR=FACADES)
                self.assertEqual(done.strip(), os.path.join(self.directory, "sub", "libonlyhere.so"))
        self.assertEqual(self.fine("opens", self.caller("-DOPENS_ONLY"), "libonlyhere.so", GANGWAY_FACADE_DIR=FACADES), "none\n")

    def test_a_caller_that_finds_the_real_library_gets_it_though_another_got_the_facade(self):
        first = self.caller("-DOPENS_ONLY", name="first.so")
        second = self.caller("-DOPENS_ONLY", "-Wl,-rpath," + OLD, name="second.so")
        done = self.fine("opens", first, "libcublasLt.so.11", second, GANGWAY_FACADE_DIR=FACADES)
        self.assertEqual(done.split(), [os.path.join(FACADES, "libcublasLt.so.11"), os.path.join(OLD, "libcublasLt.so.11")])

    def test_code_that_no_object_holds_may_open_what_a_facade_serves(self):
        done = self.fine("opens", "-", "libcublasLt.so.11", GANGWAY_FACADE_DIR=FACADES)
        self.assertEqual(done.strip(), os.path.join(FACADES, "libcublasLt.so.11"))

    def test_deepbind_is_left_out_and_told_unless_it_is_to_be_kept(self):
        caller, path = self.caller(), os.path.dirname(self.vendor)
        done = self.run_case("deep", caller, path=path, GANGWAY_LOG=self.log)
        self.assertEqual((done.returncode, done.stderr.count("GW-309"), len(self.records())), (0, 1, 1), done.stderr)
        os.unlink(self.log)
        self.fine("deep", caller, path=path, GANGWAY_LOG=self.log, GANGWAY_KEEP_DEEPBIND="1")
        self.assertFalse(os.path.exists(self.log) and self.records())

    # Files, signals, errors.

    def test_a_log_that_cannot_be_written_is_one_finding_and_the_program_lives(self):
        fifo, directory = os.path.join(self.directory, "fifo"), os.path.join(self.directory, "dir")
        os.mkfifo(fifo)
        os.mkdir(directory)
        for bad, why in (("/dev/full", "no space left on device"), (fifo, "errno 6"), (directory, "is a directory"),
                         ("/nowhere/log", "no such file or directory"), (self.program + "/log", "a part of the path is no directory")):
            done = self.run_case("calls", self.vendor, 5, GANGWAY_LOG=bad)
            self.assertEqual((done.returncode, done.stderr.count("GW-"), done.stderr.count("GW-308")), (0, 1, 1), (bad, done.stderr))
            self.assertIn(f"GW-308: the log {bad} cannot be written: {why}; ", done.stderr)

    def test_a_log_at_its_size_limit_ends_with_a_whole_line_and_raises_no_signal(self):
        done = self.run_case("limited", self.vendor, 20000, GANGWAY_LOG=self.log)
        self.assertEqual((done.returncode, done.stderr.count("GW-308")), (0, 1), done.stderr)
        self.assertGreater(len(self.records()), 20)
        self.assertGreater(os.path.getsize(self.log), 19000)

    def read_fifo(self, fifo, end):
        """Reads FIFO, slowly at first, until it has END bytes or the writer is gone; then closes it."""
        os.mkfifo(fifo)
        reader, got = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), bytearray()
        os.set_blocking(reader, True)

        def work():
            time.sleep(1)
            while len(got) < end:
                part = os.read(reader, min(65536, end - len(got)))
                if not part:
                    break
                got.extend(part)
            os.close(reader)
        thread = threading.Thread(target=work)
        thread.start()
        return thread, got

    def test_a_reader_of_the_log_that_goes_away_raises_no_signal(self):
        thread, got = self.read_fifo(os.path.join(self.directory, "fifo"), 10)
        done = self.run_case("calls", self.vendor, 5000, GANGWAY_LOG="fifo")
        thread.join()
        self.assertEqual((done.returncode, done.stderr.count("GW-308"), len(got)), (0, 1, 10), done.stderr)

    def test_a_slow_reader_of_the_log_gets_every_line(self):
        thread, got = self.read_fifo(os.path.join(self.directory, "fifo"), 1 << 30)
        self.fine("calls", self.vendor, 2000, GANGWAY_LOG="fifo")
        thread.join()
        self.assertEqual(len([r for r in map(json.loads, got.splitlines()) if r["type"] == "call"]), 2000)

    def test_a_relative_log_stays_where_the_program_started(self):
        os.mkdir(os.path.join(self.directory, "other"))
        self.fine("elsewhere", self.vendor, "other", GANGWAY_LOG="log")
        self.assertEqual(len(self.records()), 1)

    def test_a_program_that_takes_our_descriptor_for_its_own_file_is_never_written_into(self):
        self.fine("closes", self.vendor, os.path.join(self.directory, "own"), GANGWAY_LOG=self.log)
        self.assertEqual(len(self.records()), 2)

    def test_children_by_fork_and_by_clone_count_for_themselves(self):
        done = self.fine("children", self.vendor, GANGWAY_LOG=self.log, GANGWAY_LOG_LEVEL="counts")
        parent, forked, cloned = map(int, done.split())
        self.assertEqual({r["pid"]: r["calls"] for r in self.records("count")}, {parent: 10, forked: 1, cloned: 1})
        self.assertEqual({r["pid"] for r in self.records("start")}, {parent, forked, cloned})

    def test_a_child_that_was_forked_while_the_loaders_list_was_locked_calls_on(self):
        child = int(self.fine("held", self.caller(), path=os.path.dirname(self.vendor), GANGWAY_LOG=self.log, GANGWAY_LOG_LEVEL="counts"))
        self.assertEqual({r["pid"]: r["calls"] for r in self.records("count")}, {child: 1})

    def test_calls_that_are_left_by_longjmp_do_not_hide_later_ones(self):
        self.fine("jumps", self.vendor, GANGWAY_LOG=self.log)
        names = [r["function"] for r in self.records()]
        self.assertEqual(names, ["cublasLtGetVersion"] * 11)

    def test_a_million_calls_make_no_system_call_and_allocate_nothing(self):
        done = self.run_case("fast", os.path.join(FACADES, "libcublasLt.so.11"), 3, GANGWAY_CUBLAS=NEW)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_error_of_dlopen_waits_for_dlerror_across_calls(self):
        self.fine("pending", self.vendor)

    def test_disabled_everything_is_off_but_the_facades(self):
        facade = os.path.join(FACADES, "libcublasLt.so.11")
        self.assertEqual(self.fine("refused", facade, "cublasLtMatmulDescCreate", GANGWAY_DISABLE="1", GANGWAY_CUBLAS=NEW, GANGWAY_LOG=self.log), "0\n")
        self.fine("deep", self.caller(), path=os.path.dirname(self.vendor), GANGWAY_DISABLE="1", GANGWAY_LOG=self.log)
        self.assertFalse(os.path.exists(self.log))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[10:]], verbosity=2)
