#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`gangway report`, `top` and `metrics` on traces that make.c wrote, whose sums are known: every output says the same numbers.

usage: report.py GANGWAY MAKE SITE-TOOL     SITE-TOOL: tests/wheels/site, for Perfetto's schema, DuckDB and the OpenMetrics parser
"""
import collections
import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

GANGWAY, MAKE, SITE_TOOL = sys.argv[1:4]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CLOSE = 2    # ns: each process's sum is rounded once


def run(*arguments, status=0):
    done = subprocess.run([GANGWAY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    if status is not None and done.returncode != status:
        raise AssertionError(f"gangway {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr.decode()}")
    return done


def make(path, *options):
    """Writes a trace, returns what is in it."""
    done = subprocess.run([MAKE, str(path), *map(str, options)], capture_output=True, check=True, timeout=300)
    return json.loads(done.stdout)


def report(*arguments, status=0):
    return json.loads(run("report", "--json", *arguments, status=status).stdout)


def rows(found, member, key):
    return {row[key]: row for row in found[member]}


class Page(html.parser.HTMLParser):
    """Which ids a page has, with their text, and whether each tag is closed."""
    VOID = {"meta", "link", "input", "br", "line", "rect", "i0"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.wrong, self.text = [], collections.defaultdict(str), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if self.open and self.open[-1][0] == tag:
            self.open.pop()
        else:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.text += data
        for _, name in self.open:
            if name:
                self.ids[name] += data


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="gw-trace-"))
        cls.one = cls.directory / "one.gwt"
        cls.known = make(cls.one, "--records", 6000)
        cls.many = cls.directory / "many"
        cls.many.mkdir()
        cls.many_known = [make(cls.many / f"{rank}.gwt", "--records", 700 + 100 * rank, "--rank", rank, "--host", f"node{rank % 2}", "--pid", 100 + rank,
                               "--start", 1700000000000000000 + rank * 1000000) for rank in range(5)]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    def compare(self, found, known, calls="functions"):
        functions = rows(found, "functions", "function")
        self.assertEqual(sorted(functions), sorted(known[calls]))
        for name, expected in known[calls].items():
            row = functions[name]
            self.assertEqual((row["calls"], row["failures"]), (expected["calls"], expected["failures"]), name)
            self.assertAlmostEqual(row["ns"], expected["ns"], delta=CLOSE, msg=name)
            if expected["ns"]:
                self.assertAlmostEqual(row["longest_ns"], expected["longest"], delta=1)
                self.assertAlmostEqual(row["shortest_ns"], expected["shortest"], delta=1)

    def test_sums_by_function_shape_status_and_sequence_are_those_of_the_calls(self):
        found = report(self.one, "--peak", "bf16=1000")
        self.compare(found, self.known)
        self.assertEqual(found["totals"]["records"], self.known["records"] - self.known["marks"])
        shapes = {row["text"]: row for row in found["shapes"] if "Heuristic" not in row["function"]}
        for text, expected in self.known["shapes"].items():
            self.assertEqual((shapes[text]["calls"], shapes[text]["failures"]), (expected["calls"], expected["failures"]))
            self.assertAlmostEqual(shapes[text]["ns"], expected["ns"], delta=CLOSE)
            self.assertEqual(shapes[text].get("gpu_ns", 0), expected["gpu_ns"])
        small = shapes["bf16 4096x16x4096 TN + bias"]
        rate = small["flops"] * small["gpu_calls"] / small["gpu_ns"] / 1000
        self.assertAlmostEqual(small["tflops"], rate, delta=rate / 1000)
        self.assertAlmostEqual(small["of_peak"], rate / 1000, delta=rate / 1e6)
        statuses = {(row["function"], row["status"]): row["calls"] for row in found["failures"]}
        self.assertEqual(statuses["cublasLtMatmul", "CUBLAS_STATUS_NOT_SUPPORTED"], self.known["not_supported"])
        self.assertEqual(statuses["cublasLtMatmul", "OLD_STATUS_NOT_SUPPORTED"], self.known["old_not_supported"])
        self.assertIn(("cudnnConvolutionForward", str(0x12345)), statuses)
        self.assertEqual(sum(statuses.values()), sum(row["failures"] for row in self.known["functions"].values()))
        sequence, = found["sequences"]
        self.assertEqual((sequence["sequence"], sequence["calls"]), ("convolution + bias + activation", self.known["sequences"]))
        self.assertAlmostEqual(sequence["ns"], self.known["sequence_ns"], delta=CLOSE)
        self.assertAlmostEqual(found["processes"][0]["busy_ns"], self.known["busy_ns"], delta=CLOSE)
        self.assertEqual(found["redirects"][0]["calls"], self.known["redirected"]["calls"]["calls"])
        self.assertEqual(sum(found["timeline"]["calls"]), found["totals"]["records"])
        self.assertAlmostEqual(sum(map(sum, found["timeline"]["busy_ns"].values())), self.known["busy_ns"], delta=len(self.known["functions"]) * self.known["records"])
        self.assertEqual(sum(row["calls"] for row in found["callers"]), found["totals"]["calls"])
        self.assertEqual({row["code"] for row in found["findings"]}, {"GW-303"})
        self.assertEqual({row["code"] for row in found["advice"]}, {"GW-372", "GW-373"})
        decision, = found["decisions"]
        self.assertEqual((decision["algorithm"], decision["calls"], decision["workspace"]), ("id 66, tile 20", shapes["bf16 64x64x131072 NT"]["calls"], 0))
        self.assertEqual(found["problems"], [])

    def test_sums_do_not_depend_on_how_many_threads_read(self):
        big = self.directory / "big.gwt"
        known = make(big, "--records", 200000, "--threads", 2, "--block", 4096)
        first = report(big, "--threads", 1)
        self.compare(first, known)
        self.assertEqual(first["sequences"][0]["calls"], known["sequences"])
        for threads in (2, 7):
            self.assertEqual(report(big, "--threads", threads), first)

    def test_what_a_ring_overwrote_is_counted_and_the_rest_is_summed(self):
        path = self.directory / "ring.gwt"
        known = make(path, "--records", 20000, "--gap", 3, "--block", 8192)
        found = report(path)
        self.assertGreater(known["overwritten"], 100)
        self.assertEqual(found["totals"]["overwritten"], known["overwritten"])
        self.compare(found, known)
        counted = make(path, "--records", 20000, "--gap", 3, "--block", 8192, "--counts")
        self.compare(report(path), counted, "all")    # with blocks of counts, the sums are of all calls
        self.compare(report(path, "--from", 0), counted)    # but not those of a part of the time

    def test_a_trace_of_counts_alone_is_reported(self):
        path = self.directory / "counts.gwt"
        known = make(path, "--records", 3000, "--count-only")
        self.compare(report(path), known, "all")
        self.assertEqual(report(path)["totals"]["records"], 0)

    def test_a_sampled_trace_stands_for_all_calls(self):
        path = self.directory / "sampled.gwt"
        known = make(path, "--records", 3000, "--sample", 8)
        self.compare(report(path), known)

    def test_files_are_merged_by_host_and_rank(self):
        found = report(self.many)
        self.assertEqual([(row["host"], row["rank"], row["pid"]) for row in found["processes"]],
                         [("node0", 0, 100), ("node0", 2, 102), ("node0", 4, 104), ("node1", 1, 101), ("node1", 3, 103)])
        functions = rows(found, "functions", "function")
        for name in self.known["functions"]:
            self.assertEqual(functions[name]["calls"], sum(known["functions"][name]["calls"] for known in self.many_known))
            self.assertEqual(functions[name]["processes"], 5)
        self.assertEqual(report(*sorted(self.many.iterdir(), reverse=True)), found)

    def test_functions_and_times_can_be_chosen(self):
        found = report(self.one, "--function", "cudnn:*", "--function", "cublasLtGetV*")
        self.assertEqual(sorted(rows(found, "functions", "function")),
                         ["cublasLtGetVersion", "cudnnActivationForward", "cudnnAddTensor", "cudnnConvolutionForward"])
        lines = [json.loads(line) for line in run("report", "--format", "jsonl", self.one).stdout.splitlines()]
        calls = [line for line in lines if line["kind"] == "call"]
        middle = sorted(call["time_ns"] for call in calls)[len(calls) // 2]
        seconds = (middle - 1700000000000000000) / 1e9
        before = report(self.one, "--to", f"{seconds:.9f}")["totals"]["records"]
        after = report(self.one, "--from", f"{seconds:.9f}")["totals"]["records"]
        self.assertEqual(before + after, len(calls))
        self.assertEqual(after, sum(call["time_ns"] >= middle for call in calls))
        self.assertEqual(report(self.one, "--from", "2023-11-14T22:13:20Z", "--to", "2024-01-01T00:00:00")["totals"]["records"], len(calls))
        self.assertEqual(report(self.one, "--from", "2024-01-01T00:00:00")["totals"]["records"], 0)

    def test_each_call_comes_with_its_arguments_in_words(self):
        lines = [json.loads(line) for line in run("report", "--format", "jsonl", self.one).stdout.splitlines()]
        self.assertEqual(len(lines), self.known["records"])
        calls = [line for line in lines if line["kind"] == "call"]
        self.assertEqual(collections.Counter(line["function"] for line in calls), {name: row["calls"] for name, row in self.known["functions"].items()})
        self.assertEqual([line["time_ns"] for line in lines], sorted(line["time_ns"] for line in lines))
        every = next(call for call in calls if call["function"] == "everyClass")
        self.assertEqual(every["arguments"], {"a": -5, "b": -6000000000, "c": 0.5, "d": -2.25, "e": "0x1234", "f": 4000000000, "g": -7,
                                              "h": b"twelve bytes".hex(), "i": 18446744073709551615})
        self.assertEqual({call["arguments"]["attr"] for call in calls if call["function"] == "cublasLtMatmulDescSetAttribute"},
                         {"ATTRIBUTE_TRANSA", "ATTRIBUTE_EPILOGUE", 99})
        first = next(call for call in calls if call["function"] == "cublasLtMatmulDescSetAttribute" and not call["nested"] and call["failed"])
        self.assertEqual(first["arguments"], {"matmulDesc": "0xaaaa0005", "attr": "ATTRIBUTE_TRANSA", "buf": "0xbbbb0000", "*buf": "0500000000000000", "sizeInBytes": 4})
        self.assertEqual((first["result"], first["caller"]), ("CUBLAS_STATUS_INVALID_VALUE", "train+0x1000"))
        found = next(call for call in calls if call["function"] == "cublasLtMatmulAlgoGetHeuristic")
        self.assertEqual(found["arguments"]["*returnAlgoCount"], "03000000")
        product = next(call for call in calls if call["function"] == "cublasLtMatmul")
        self.assertEqual(product["stack"], ["train+0x1000", "train+0x2000", "train+0x3000"])
        self.assertEqual((product["ns"], product["gpu_ns"], product["shape"]), (10000, 10000, "bf16 4096x16x4096 TN + bias"))
        self.assertTrue(any(line["kind"] == "mark" and "cublasLtOld" in line["text"] for line in lines))
        table = list(csv.DictReader(io.StringIO(run("report", "--format", "csv", self.one).stdout.decode())))
        self.assertEqual(len(table), len(calls))
        for row, call in zip(table, calls):
            self.assertEqual((int(row["record"]), row["function"], json.loads(row["arguments"])), (call["record"], call["function"], call["arguments"]))
        text = run("report", "--calls", self.one).stdout.decode()
        self.assertEqual(sum("cublasLtMatmul(" in line for line in text.splitlines()), self.known["functions"]["cublasLtMatmul"]["calls"])
        again = run("report", "--rerun", product["record"], self.one).stdout.decode()
        self.assertEqual(again, "gangway tune --function cublasLtMatmul --shape 'bf16 4096x16x4096 TN + bias' --m 4096 --n 16 --k 4096 --batch 1 --workspace 33554432\n")
        self.assertIn(b"no shape", run("report", "--rerun", every["record"], self.one, status=3).stderr)
        self.assertIn(b"no call's record", run("report", "--rerun", 7, self.one, status=3).stderr)

    def test_a_chrome_trace_has_each_call(self):
        trace = json.loads(run("report", "--format", "chrome", self.many).stdout)
        counts = collections.Counter(event["name"] for event in trace["traceEvents"] if event["ph"] == "X")
        self.assertEqual(counts, collections.Counter({name: sum(known["functions"][name]["calls"] for known in self.many_known) for name in counts}))
        self.assertEqual(sum(event["ph"] == "M" and event["name"] == "process_name" for event in trace["traceEvents"]), 5)

    def test_damage_is_a_finding_with_its_offset_and_the_rest_is_reported(self):
        path = self.directory / "damaged.gwt"
        bytes_ = bytearray(self.one.read_bytes())
        at = 4096 + 65536 + 64 + 64 * 10 + 7
        bytes_[at] ^= 0x40
        path.write_bytes(bytes_)
        found = report(path, status=1)
        self.assertEqual(found["totals"]["calls"], self.known["records"] - self.known["marks"] - 1)
        damage, = [row for row in found["problems"] if row["kind"] == "damage"]
        self.assertIn(at - damage["offset"], range(256))
        advice = [row for row in found["advice"] if row["code"] == "GW-370"]
        self.assertIn(f"the first at offset {damage['offset']}", advice[0]["text"])
        other = self.directory / "no-trace.gwt"
        other.write_text("hello\n")
        found = report(path, other, self.one, status=1)
        self.assertEqual({row["code"] for row in found["advice"]} & {"GW-370", "GW-374"}, {"GW-370", "GW-374"})
        self.assertEqual(len(found["processes"]), 2)
        done = run("report", other, status=3)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn(b"no gangway trace", done.stderr)
        path.unlink()
        other.unlink()

    def test_a_path_that_is_no_utf8_is_no_obstacle(self):
        path = os.path.join(os.fsencode(self.directory), b"odd-\xff\xfe.gwt")
        shutil.copy(self.one, path)
        done = subprocess.run([GANGWAY, "report", "--json", path], capture_output=True, check=True, timeout=60)
        self.assertEqual(len(json.loads(done.stdout)["processes"]), 1)
        os.remove(path)

    def test_wrong_usage_is_one_line(self):
        for arguments, status in ((["report"], 2), (["report", "--format", "xml", self.one], 2), (["report", "/nonexistent"], 3), (["report", "--from", "x", self.one], 2),
                                  (["report", "--peak", "abacus", self.one], 2), (["top"], 2), (["metrics"], 2), (["report", self.directory / ".."/ "empty"], 3),
                                  (["metrics", "--listen", "0.0.0.0:0", self.one], 2), (["report", "--threads", "0", self.one], 2)):
            done = run(*arguments, status=status)
            self.assertEqual(len(done.stderr.splitlines()), 1, (arguments, done.stderr))
            self.assertEqual(done.stdout, b"")

    def test_a_full_disk_is_one_error_and_leaves_what_was_there(self):
        done = run("report", "--format", "jsonl", "-o", "/dev/full", self.one, status=3)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        target = self.directory / "kept"
        target.write_text("kept")
        script = 'ulimit -f 1; trap "" XFSZ; exec "$@"'
        done = subprocess.run(["bash", "-c", script, "bash", GANGWAY, "report", "--format", "jsonl", "-o", target, self.one], capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (3, 1), done.stderr)
        self.assertEqual(target.read_text(), "kept")
        self.assertEqual([path.name for path in self.directory.iterdir() if path.name.startswith("kept")], ["kept"])

    def test_the_page_has_the_numbers_and_is_whole_without_a_network(self):
        text = run("report", "--format", "html", "--peak", "h200", self.many).stdout.decode()
        page = Page(text)
        self.assertEqual((page.wrong, page.open), ([], []))
        calls = sum(known["records"] - known["marks"] for known in self.many_known)
        self.assertEqual(page.ids["total-calls"], f"{calls:,}")
        self.assertEqual(page.ids["total-processes"], "5")
        for word in ("cublasLtMatmul", "bf16 64x64x131072 NT", "GW-373", "GW-303", "libcublasLt.so.13 <has> no cublasLtOld & more", "train+0x3000"):
            self.assertIn(word, text if word.startswith("train") else page.text)
        self.assertIsNone(re.search(r"(?:src|href|url\()\s*=?\s*[\"']?(?:https?:)?//", text))


class Tools(unittest.TestCase):
    """What other people's programs make of the outputs."""
    @classmethod
    def setUpClass(cls):
        site = subprocess.run([sys.executable, SITE_TOOL, "trace"], capture_output=True, text=True, check=True, timeout=600).stdout.strip()
        sys.path.insert(0, site)
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="gw-trace-"))
        for rank in range(3):
            make(cls.directory / f"{rank}.gwt", "--records", 2000, "--rank", rank, "--pid", 50 + rank)
        cls.found = report(cls.directory)
        cls.calls = {row["function"]: row["calls"] for row in cls.found["functions"]}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    def test_the_perfetto_file_decodes_with_the_published_schema_and_its_counts_agree(self):
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
        path = self.directory / "trace.pftrace"
        run("report", "--format", "perfetto", "-o", path, self.directory)
        trace = schema.Trace()
        trace.ParseFromString(path.read_bytes())
        begun, tracks, depth = collections.Counter(), {}, collections.Counter()
        events = collections.defaultdict(list)
        for packet in trace.packet:
            if packet.HasField("track_descriptor"):
                tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            event = packet.track_event
            if packet.HasField("track_event"):
                self.assertIn(event.track_uuid, tracks)
                events[event.track_uuid].append((packet.timestamp, event.type))
                depth[event.track_uuid] += {1: 1, 2: -1}.get(event.type, 0)
            if packet.HasField("track_event") and event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
                begun[event.name] += 1
                self.assertEqual({note.name for note in event.debug_annotations} & {"record", "result", "caller"}, {"record", "result", "caller"})
        self.assertEqual(dict(begun), self.calls)
        self.assertEqual(sum(track.HasField("process") for track in tracks.values()), 3)
        self.assertEqual(set(depth.values()), {0})

    def test_json_lines_load_in_duckdb_and_the_documented_queries_give_the_same_counts(self):
        import duckdb
        path = self.directory / "calls.jsonl"
        run("report", "--format", "jsonl", "-o", path, self.directory)
        text = (ROOT / "docs/report.md").read_text(encoding="utf-8")
        queries = re.findall(r"```sql\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(queries), 4)
        database = duckdb.connect()
        os.chdir(self.directory)
        answers = [database.execute(query).fetchall() for query in queries]
        self.assertEqual({row[0]: row[1] for row in answers[1]}, self.calls)
        self.assertEqual({row[0]: row[2] for row in answers[1]}, {row["function"]: row["failures"] for row in self.found["functions"]})
        for answer in answers[1:]:
            self.assertTrue(answer)

    def test_metrics_pass_the_parser_of_prometheus(self):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
        path = self.directory / "gangway.prom"
        run("metrics", "-o", path, self.directory)
        self.check_metrics(list(parse(path.read_text(encoding="utf-8"))))
        server = subprocess.Popen([GANGWAY, "metrics", "--listen", "127.0.0.1:0", self.directory], stderr=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http\S+", server.stderr.readline()).group()
            with urllib.request.urlopen(address, timeout=60) as answer:
                self.assertIn("openmetrics-text", answer.headers["Content-Type"])
                self.check_metrics(list(parse(answer.read().decode())))
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(address.replace("metrics", "other"), timeout=60)
        finally:
            server.kill()
            server.wait()
            server.stderr.close()

    def test_two_traces_of_one_pid_are_one_sample(self):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
        with tempfile.TemporaryDirectory(prefix="gw-trace-") as directory:
            known = [make(pathlib.Path(directory) / f"{i}.gwt", "--records", 500 + i) for i in range(2)]
            families = {family.name: family for family in parse(run("metrics", directory).stdout.decode())}
            sample, = families["gangway_process_calls"].samples
            self.assertEqual(sample.value, sum(one["records"] - one["marks"] for one in known))

    def check_metrics(self, families):
        by_name = {family.name: family for family in families}
        documented = set(re.findall(r"^\| `(gangway_\w+)`", (ROOT / "docs/report.md").read_text(encoding="utf-8"), re.M))
        samples = {sample.name for family in families for sample in family.samples}
        self.assertLessEqual(samples, documented)
        self.assertEqual({sample.labels["function"]: sample.value for sample in by_name["gangway_calls"].samples}, self.calls)
        self.assertEqual(sum(sample.value for sample in by_name["gangway_process_calls"].samples), sum(self.calls.values()))
        self.assertEqual(by_name["gangway_findings"].samples[0].labels, {"code": "GW-303", "severity": "warning"})


class Browser(unittest.TestCase):
    """The page in a headless Chromium."""
    def browse(self, page, *options):
        with tempfile.TemporaryDirectory(prefix="gw-chromium-") as profile:
            return subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
                                   "--enable-logging=stderr", "--v=0", "--virtual-time-budget=3000", *options, f"file://{page}"], capture_output=True, timeout=120, check=True)

    def test_the_page_opens_without_errors_and_shows_the_numbers_light_and_dark_narrow_and_wide(self):
        with tempfile.TemporaryDirectory(prefix="gw-trace-") as directory:
            directory = pathlib.Path(os.environ.get("GANGWAY_SCREENSHOTS") or directory)
            known = make(directory / "one.gwt", "--records", 6000)
            page = directory / "page.html"
            run("report", "--format", "html", "--peak", "h200", "-o", page, directory / "one.gwt")
            done = self.browse(page, "--dump-dom")
            self.assertEqual([line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line], [])
            dom = done.stdout.decode()
            found = Page(dom)
            self.assertEqual(found.ids["total-calls"], f"{known['records'] - known['marks']:,}")
            self.assertGreater(dom.count("<button type=\"button\""), 20)    # the script ran: heads of columns are buttons
            many = directory / "many"
            many.mkdir()
            for rank in range(300):
                os.link(directory / "one.gwt", many / f"{rank}.gwt")
            large = directory / "large.html"
            run("report", "--format", "html", "-o", large, many)
            self.assertLess(large.stat().st_size, 10_000_000)
            done = self.browse(large, "--dump-dom")
            self.assertEqual([line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line], [])
            self.assertEqual(Page(done.stdout.decode()).ids["total-calls"], f"{300 * (known['records'] - known['marks']):,}")
            for name, width, dark in (("light-wide", 1600, False), ("dark-wide", 1600, True), ("light-narrow", 400, False), ("dark-narrow", 400, True)):
                picture = directory / f"{name}.png"
                self.browse(page, f"--screenshot={picture}", f"--window-size={max(width, 500)},2400", *(["--blink-settings=preferredColorScheme=0"] if dark else []))
                self.assertGreater(picture.stat().st_size, 20000)


class Top(unittest.TestCase):
    def test_top_shows_rates_of_running_processes_and_says_when_none_runs(self):
        with tempfile.TemporaryDirectory(prefix="gw-trace-") as directory:
            path = pathlib.Path(directory) / "live.gwt"
            make(path, "--records", 900, "--counts", "--killed", "--pid", os.getpid())
            top = subprocess.Popen([GANGWAY, "top", "--once", "--interval", "1", "--json", directory], stdout=subprocess.PIPE, text=True)
            time.sleep(0.5)
            known = make(pathlib.Path(directory) / "next", "--records", 1800, "--counts", "--killed", "--pid", os.getpid())
            os.replace(pathlib.Path(directory) / "next", path)
            shown = json.loads(top.communicate(timeout=60)[0])
            self.assertEqual(top.returncode, 0)
            self.assertEqual(shown["calls"], sum(row["calls"] for row in known["all"].values()))
            rates = {row["function"]: row["calls_per_second"] * shown["seconds"] for row in shown["functions"]}
            self.assertAlmostEqual(rates["cublasLtMatmul"], 100, delta=0.5)
            text = run("top", "--once", "--interval", "0.05", "--all", directory).stdout.decode()
            self.assertIn("calls so far", text)
            path.unlink()
            make(path, "--records", 100)
            self.assertIn(b"no process", run("top", "--once", "--interval", "0.05", directory, status=3).stderr)
            done = run("top", "--once", os.getpid(), status=3)
            self.assertIn(b"no trace mapped", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    only = sys.argv[4:]
    unittest.main(argv=sys.argv[:1] + only, verbosity=2)
