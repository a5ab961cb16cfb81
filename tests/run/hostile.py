# SPDX-License-Identifier: Apache-2.0
"""Files that are made to harm who looks at them: `gangway scan` says what is the matter, with file and place, within a second of processor time
and 200 MB, never crashes or waits, and shows names so that they cannot write to a terminal what they like."""
import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time

from harness import case, check, main

SECONDS, MEGABYTES = 1, 200
# Sanitizers take some four times as long, and twice the memory; the plain build keeps to the limits.
SLOWER = 6 if b"__asan_init" in open(sys.argv[1], "rb").read() else 1


class Elf:
    """An x86-64 library with one segment, put together table by table: none of them need be true."""

    def __init__(self):
        self.data = bytearray(64 + 2 * 56)
        self.dynamic, self.strings = [], bytearray(b"\0")

    def put(self, data, align=8):
        self.data += bytes(-len(self.data) % align)
        at = len(self.data)
        self.data += data
        return at

    def text(self, text):
        at = len(self.strings)
        self.strings += text.encode("utf-8", "surrogateescape") + b"\0"
        return at

    def tag(self, tag, value):
        self.dynamic.append((tag, value))

    def symbols(self, entries, buckets=None, chain=None):
        """ENTRIES: bytes of the symbol table. BUCKETS, CHAIN: of the older hash table."""
        count = len(entries) // 24
        self.tag(6, self.put(entries))
        self.tag(4, self.put(struct.pack("<II", len(buckets or [0]), count) + struct.pack(f"<{len(buckets or [0])}I", *(buckets or [0])) +
                             (chain if chain is not None else bytes(4 * count))))

    def whole(self, path, filesz=None):
        self.tag(5, self.put(bytes(self.strings)))
        self.tag(10, len(self.strings))
        at = self.put(b"".join(struct.pack("<qQ", *entry) for entry in [*self.dynamic, (0, 0)]))
        size = filesz or len(self.data)
        self.data[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
        self.data[64:176] = struct.pack("<IIQQQQQQ", 1, 6, 0, 0, 0, size, size, 4096) + struct.pack(
            "<IIQQQQQQ", 2, 6, at, at, at, 16 * (len(self.dynamic) + 1), 16 * (len(self.dynamic) + 1), 8)
        with open(path, "wb") as file:
            file.write(self.data)
        return path


def undefined(name, count):
    return bytes(24) + struct.pack("<IBBHQQ", name, 0x12, 0, 0, 0, 0) * count


def relocations(count, kind=6):
    return b"".join(struct.pack("<QQq", 0, i << 32 | kind, 0) for i in range(1, count + 1))


# Starts what follows its first argument, and writes its status, microseconds and kilobytes there. A child of this process would be counted
# with what this process holds.
MEASURE = """#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;
	struct rusage used;
	int status;

	if (!out)
		return 99;
	alarm(120);
	if (vfork() == 0) {
		execvp(argv[2], argv + 2);
		_exit(98);
	}
	wait4(-1, &status, 0, &used);
	fprintf(out, "%d %ld %ld\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
		(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec, used.ru_maxrss);
	return fclose(out) != 0;
}
"""


def looked(world, *arguments, env=None, exits=(0, 1, 3), user=None):
    """Runs `gangway scan` within the limits; the exit status, stdout, stderr as bytes."""
    measure = world.path("measure")
    if not os.path.exists(measure):
        world.cc("measure", MEASURE)
    command = [world.gangway, "scan", *arguments]
    if user:
        command = ["setpriv", f"--reuid={user}", "--clear-groups", "--no-new-privs", *command]
    clean = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": world.root, **(env or {})}
    with open(world.path("out"), "wb") as out, open(world.path("err"), "wb") as err:
        subprocess.run([measure, world.path("used"), *command], env=clean, cwd=world.root, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=True)
    with open(world.path("used"), encoding="ascii") as file:
        status, took, memory = map(int, file.read().split())
    took /= 1e6
    with open(world.path("out"), "rb") as out, open(world.path("err"), "rb") as err:
        text, errors = out.read(), err.read()
    what = f"{arguments}: status {status}, {took:.2f} s, {memory // 1024} MB\n{errors[:600]!r}\n{text[:300]!r}"
    check(status in exits, what)
    check(took < SECONDS * SLOWER, what)
    check(memory < MEGABYTES * 1024 * SLOWER, what)
    for stream in (text, errors):
        check(not any(c < 32 and c != 10 or c == 127 for c in stream), f"control characters: {what}")
    return status, text, errors


@case
def a_million_imports_that_nobody_knows_are_counted_not_listed(world):
    elf = Elf()
    name, node = elf.text("cu"), elf.text("libcublas.so.12")
    elf.tag(1, node)
    elf.symbols(undefined(name, 1000000))
    elf.tag(0x6FFFFFF0, elf.put(struct.pack("<H", 0) + struct.pack("<H", 2) * 1000000))
    elf.tag(0x6FFFFFFE, elf.put(struct.pack("<HHIII", 1, 1, node, 16, 0) + struct.pack("<IHHII", 0x1234567, 0, 2, node, 0)))
    elf.tag(0x6FFFFFFF, 1)
    _, text, _ = looked(world, "--json", elf.whole(world.path("libmany.so")), exits=(1,))
    file = json.loads(text)["files"][0]
    check(file["imports"]["cublas"]["count"] == 1000000, str(file["imports"])[:200])
    check("more functions are imported" in json.dumps(file["findings"]), str(file["findings"][-1]))


@case
def tables_that_make_each_lookup_long_end_in_an_error_or_an_answer(world):
    # One chain of all symbols, each of which bears the name that is looked for, but is no definition; and names of a megabyte that overlap.
    for count, long in ((65536, 1), (200000, 20), (300000, 1 << 20)):
        elf = Elf()
        name = elf.text("a" * long)
        entries = bytearray(bytes(24))
        for i in range(count):
            entries += struct.pack("<IBBHQQ", name + (i % long), 0x12, 0, 0, 0, 0)
        chain = struct.pack(f"<{count + 1}I", *range(1, count + 1), 0)
        elf.symbols(bytes(entries), [1], chain)
        elf.tag(7, elf.put(relocations(count)))
        elf.tag(8, 24 * count)
        status, text, errors = looked(world, "--json", elf.whole(world.path("libchain.so")))
        check(text and (status != 3 or b"libchain.so:0x" in errors), f"{count}: {status} {errors[:300]}")


@case
def the_largest_tables_that_are_read_cost_no_more(world):
    elf = Elf()
    elf.symbols(undefined(elf.text("cublasCreate_v3"), 1040000))
    table = b"".join(struct.pack("<QQq", 0, i << 32 | 6, 0) for i in range(1, 1040001)) * 2
    elf.tag(7, elf.put(table))
    elf.tag(8, len(table))
    path = elf.whole(world.path("liblarge.so"))
    del elf, table      # a child's memory is counted from its parent's on
    _, text, _ = looked(world, "--json", path, exits=(0,))
    check("or yet more" in json.loads(text)["files"][0]["findings"][0]["text"], text.decode()[:300])
    elf = Elf()
    elf.symbols(undefined(elf.text("nobody"), 1100000))
    _, _, errors = looked(world, elf.whole(world.path("libtoo.so")), exits=(3,))
    check(b"libtoo.so:0x" in errors and b"impossible number of symbols" in errors, str(errors))


@case
def thousands_of_missing_symbols_and_versions_are_told_in_time(world):
    empty = Elf()
    empty.tag(14, empty.text("libempty.so.1"))
    empty.symbols(bytes(24))
    define = empty.text("libempty.so.1")
    empty.tag(0x6FFFFFFC, empty.put(struct.pack("<HHHHIII", 1, 1, 1, 1, 0x1, 20, 0) + struct.pack("<II", define, 0)))
    empty.tag(0x6FFFFFFD, 1)
    empty.whole(world.path("libempty.so.1"))
    # Each of 30000 versions with ten symbols; none is there.
    elf = Elf()
    file, origin = elf.text("libempty.so.1"), elf.text("$ORIGIN")
    elf.tag(1, file)
    elf.tag(29, origin)
    names = [elf.text(f"V{i}") for i in range(30000)]
    aux = b"".join(struct.pack("<IHHII", i + 1, 0, i + 2, name, 16 if i + 1 < len(names) else 0) for i, name in enumerate(names))
    elf.symbols(undefined(elf.text("nobody"), 300000))
    elf.tag(0x6FFFFFF0, elf.put(struct.pack("<H", 0) + b"".join(struct.pack("<H", 2 + i % 30000) for i in range(300000))))
    elf.tag(0x6FFFFFFE, elf.put(struct.pack("<HHIII", 1, 30000, file, 16, 0) + aux))
    elf.tag(0x6FFFFFFF, 1)
    elf.tag(7, elf.put(relocations(300000)))
    elf.tag(8, 24 * 300000)
    status, text, errors = looked(world, "--json", elf.whole(world.path("libversions.so")))
    check(status == 1 and b"GW-110" in text or status == 3 and b"libversions.so:0x" in errors, f"{status} {errors[:300]}")


@case
def thousands_of_needed_libraries_in_thousands_of_places_end_in_an_error(world):
    elf = Elf()
    elf.tag(29, elf.text("/tmp/./:/usr/lib/./:" * 3000))
    for i in range(4000):
        elf.tag(1, elf.text(f"libnone{i}.so"))
    elf.symbols(bytes(24))
    _, _, errors = looked(world, elf.whole(world.path("libplaces.so")), exits=(3,))
    check(b"libplaces.so: too many libraries or places" in errors, str(errors))
    # And each other's, in a circle, by many names.
    for i in range(60):
        elf = Elf()
        elf.tag(29, elf.text("$ORIGIN"))
        elf.tag(14, elf.text(f"libcircle{i}.so"))
        for j in range(3000):
            elf.tag(1, elf.text(f"libcircle{j % 60}.so" if j % 2 else f"libname{i}-{j}.so"))
        elf.symbols(bytes(24))
        elf.whole(world.path(f"libcircle{i}.so"))
    looked(world, "--json", world.path("libcircle0.so"))


@case
def sparse_files_of_ten_gigabytes_are_looked_at_where_they_hold_something(world):
    elf = Elf()
    elf.symbols(undefined(elf.text("nobody"), 3))
    path = elf.whole(world.path("libhuge.so"), 10 << 30)
    os.truncate(path, 10 << 30)
    looked(world, path, exits=(0,))
    plain = world.write("plain", "")
    os.truncate(plain, 10 << 30)
    _, _, errors = looked(world, plain, exits=(3,))
    check(b"plain:0x0: " in errors, str(errors))
    # A section table of a hundred million entries.
    data = bytearray(open(path, "rb").read(64))
    struct.pack_into("<Q", data, 40, 1 << 20)
    struct.pack_into("<HHH", data, 58, 64, 0, 0)
    with open(path, "r+b") as file:
        file.write(data)
        file.seek((1 << 20) + 32)
        file.write(struct.pack("<Q", 100000000))
    looked(world, path, exits=(0,))
    with open(world.path("libstrings.so"), "wb") as file:
        elf = Elf()
        elf.symbols(bytes(24))
        elf.whole(world.path("libstrings.so"))
        file.seek(0, 2)
        for _ in range(64):
            file.write(b"libcu" * 209715)
    looked(world, world.path("libstrings.so"), exits=(0,))


@case
def pipes_sockets_and_devices_are_not_waited_for(world):
    os.mkfifo(world.path("pipe"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(world.path("socket"))
    for path, said in ((world.path("pipe"), b"is no regular file"), (world.path("socket"), b"No such device or address"), ("/dev/zero", b"is no regular file"),
                       ("/dev/tty", b""), ("/proc/self/mem", b""), (world.path("empty"), b"is no regular file"), (world.path("none"), b"No such file")):
        _, _, errors = looked(world, path, exits=(3,))
        check(path.encode() in errors and said in errors, str(errors))
    # Needed, beside, and as a package's own word.
    site = world.path("site")
    os.makedirs(site + "/app-1.0.dist-info")
    os.mkfifo(site + "/app-1.0.dist-info/METADATA")
    world.write("site/app-1.0.dist-info/RECORD", "libuser.so,,\n")
    elf = Elf()
    elf.tag(29, elf.text("$ORIGIN"))
    elf.tag(1, elf.text("libpipe.so"))
    elf.tag(1, elf.text("libcublas.so.12"))
    elf.symbols(bytes(24))
    os.mkfifo(site + "/libpipe.so")
    _, text, _ = looked(world, "--json", elf.whole(site + "/libuser.so"), exits=(1,))
    check("libpipe.so: is no regular file" in json.dumps(json.loads(text)["files"][0]["findings"]), text.decode())
    os.mkfifo(site + "/app-1.0.dist-info/RECORD.2")
    looked(world, site, exits=(0, 1))
    listener.close()


@case
def what_may_not_be_read_is_said(world):
    os.chmod(world.root, 0o755)
    good = world.library("lib/libgood.so", "int good(void) { return 1; }\n")
    shutil.copy(good, world.path("lib/libclosed.so"))
    os.makedirs(world.path("lib/shut"))
    shutil.copy(good, world.path("lib/shut/libgood.so"))
    os.chmod(world.path("lib/libclosed.so"), 0)
    os.chmod(world.path("lib/shut"), 0)
    _, _, errors = looked(world, world.path("lib/libclosed.so"), exits=(3,), user=65534)
    check(b"libclosed.so: Permission denied" in errors, str(errors))
    _, _, errors = looked(world, world.path("lib/shut/libgood.so"), exits=(3,), user=65534)
    check(b"libgood.so: Permission denied" in errors, str(errors))
    _, text, errors = looked(world, world.path("lib"), exits=(0, 1, 3), user=65534)
    check(b"libgood.so" in text, str(errors))
    os.chmod(world.path("lib/shut"), 0o755)


@case
def circles_of_links_and_directories_end(world):
    os.makedirs(world.path("tree/a/b"))
    os.symlink("..", world.path("tree/a/up"))
    os.symlink("../..", world.path("tree/a/b/top"))
    os.symlink("round.so", world.path("tree/round.so"))
    os.symlink("two.so", world.path("tree/one.so"))
    os.symlink("one.so", world.path("tree/two.so"))
    shutil.copy(world.library("libgood.so", "int good(void) { return 1; }\n"), world.path("tree/a/b/libgood.so"))
    _, text, _ = looked(world, "--json", world.path("tree"), exits=(0,))
    check([file["path"] for file in json.loads(text)["files"]] == [world.path("tree/a/b/libgood.so")], text.decode()[:500])
    _, _, errors = looked(world, world.path("tree/round.so"), exits=(3,))
    check(b"round.so: Too many levels of symbolic links" in errors, str(errors))
    # A root whose ld.so.conf files include each other, by patterns that fit all of them.
    for i in range(60):
        world.write(f"root/etc/ld.so.conf.d/{i}.conf", "include *.conf\ninclude ../*/*.conf\ninclude /etc/*/../*/*.conf\n" * 20 + f"/opt/{i}\n")
    world.write("root/etc/ld.so.conf", "include ld.so.conf\ninclude ld.so.conf.d/*.conf\ninclude /*/*/*/*\ninclude /*/*/*/*/*/*/*/*\n")
    os.makedirs(world.path("root/opt/59"))
    os.makedirs(world.path("root/lib64"))
    shutil.copy(world.path("libgood.so"), world.path("root/opt/59/libgood.so"))
    elf = Elf()
    elf.tag(1, elf.text("libgood.so"))
    elf.symbols(bytes(24))
    elf.whole(world.path("root/app.so"))
    _, text, errors = looked(world, "--json", "--root", world.path("root"), "/app.so", exits=(0, 1))
    check(json.loads(text)["files"][0]["needs"][0]["path"] == "/opt/59/libgood.so", text.decode() + errors.decode())


@case
def a_file_that_is_cut_short_meanwhile_is_told_and_ends_nothing(world):
    """A library is replaced while it is looked at: what is gone was a part of it a moment ago."""
    elf = Elf()
    elf.tag(14, elf.text("libcut.so"))
    elf.symbols(undefined(elf.text("nobody"), 600000))
    elf.tag(7, elf.put(relocations(600000)))
    elf.tag(8, 24 * 600000)
    path = elf.whole(world.path("libcut.so"))
    whole = bytes(elf.data)
    told, rng = 0, random.Random(7)
    for _ in range(400):
        with open(path, "r+b") as file:
            file.truncate(0)
            file.write(whole)
        process = subprocess.Popen([world.gangway, "scan", "--json", path], env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0, 0.1) * SLOWER)
        os.truncate(path, rng.choice((0, 4096, 100, len(whole) // 2)))
        out, errors = process.communicate(timeout=60)
        check(process.returncode in (0, 1, 3), f"{process.returncode} {errors}")
        check(process.returncode != 3 or b"libcut.so" in errors, str(errors))
        json.loads(out)
        told += b"was cut short while it was read" in errors
        if told >= 3:
            break
    check(told >= 3, "it was never cut in time")


@case
def a_directory_that_is_swapped_meanwhile_ends_nothing(world):
    good = world.library("libgood.so", "int good(void) { return 1; }\n")
    for side in ("left", "right"):
        for i in range(40):
            os.makedirs(world.path(f"{side}/{i}"))
            shutil.copy(good, world.path(f"{side}/{i}/lib{side}.so"))
    os.rename(world.path("left"), world.path("now"))
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            os.rename(world.path("now"), world.path("left"))
            os.rename(world.path("right"), world.path("now"))
            os.rename(world.path("now"), world.path("right"))
            os.symlink("/", world.path("now"))
            os.remove(world.path("now"))
            os.rename(world.path("left"), world.path("now"))
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(30):
            done = subprocess.run([world.gangway, "scan", "--json", world.path("now/0"), world.path("now/1"), world.path("now/0/libleft.so")],
                                  env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, capture_output=True, timeout=120, check=False)
            check(done.returncode in (0, 1, 3), f"{done.returncode} {done.stderr[:500]}")
            json.loads(done.stdout)
    finally:
        stop.set()
        thread.join()


@case
def names_cannot_write_to_the_terminal_what_they_like(world):
    evil = "lib\x1b[2J\nGW-101 error: all is well\x9b\udcff\u202e\x7f.so"
    elf = Elf()
    elf.tag(14, elf.text(evil))
    elf.tag(1, elf.text("need" + evil))
    elf.tag(1, elf.text("libcublas.so.12"))
    elf.tag(29, elf.text("$ORIGIN/" + evil))
    elf.symbols(undefined(elf.text("sym" + evil), 3))
    elf.tag(7, elf.put(relocations(3)))
    elf.tag(8, 72)
    path = elf.whole(world.path("app.so"))
    named = os.path.join(world.root, evil)
    os.mkdir(named)
    shutil.copy(path, os.path.join(named, "in" + evil))
    for target in (path, named, os.path.join(named, "in" + evil)):
        _, text, _ = looked(world, target)
        check(b"\n" + b"GW-101 error: all" not in text and b"\xc2\x9b" not in text, str(text))
        text.decode("utf-8")
        _, text, _ = looked(world, "--json", target)
        check(json.loads(text)["files"], str(text))
    broken = os.path.join(named, "broken" + evil)
    with open(broken, "wb") as file:
        file.write(b"\x7fELF")
    looked(world, broken, exits=(3,))
    looked(world, "--library-path", named, "--python", named, "--against", named, path)


if __name__ == "__main__":
    main()
