# SPDX-License-Identifier: Apache-2.0
"""The loader model says of a file what the loader does: which files, in which order, which versions and symbols would be missing, now or
at the first call, and who answers each reference."""
import glob
import os
import shutil
import struct
import subprocess
import sys

import traced
from harness import case, check, main

DUMP = sys.argv.pop()
SYSTEM_FILES = 200


def is_elf(path):
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return False
    return head[:5] == b"\x7fELF\x02" and head[16] in (2, 3) and head[18] == 62


def agree(path, library_path=None, preload=None, bindings=True):
    """Compares; returns the loader's trace."""
    real = traced.loader(path, library_path, preload, bindings)
    mine = traced.model(DUMP, path, library_path, preload, bindings)
    different = traced.difference(real, mine)
    check(not different, f"{path} (LD_LIBRARY_PATH={library_path})\n{different}")
    return real


def shared(world, out, text, *flags, soname=None):
    """A library whose SONAME need not be its file's name; "" for none."""
    name = os.path.basename(out) if soname is None else soname
    return world.cc(out, text, "-shared", "-fPIC", "-Wl,--no-as-needed", *(["-Wl,-soname," + name] if name else []), *flags)


def program(world, out, text, *flags):
    return world.cc(out, text, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", *flags)


def versions(world, name, text):
    return "-Wl,--version-script=" + world.write(name, text)


def dynamic(path):
    """The file's bytes, and [(place of the entry, tag, value, string or None)] of its dynamic section."""
    data = bytearray(open(path, "rb").read())
    at, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    segments = [struct.unpack_from("<IIQQQQQQ", data, at + 56 * i) for i in range(count)]
    begin, size = next((s[2], s[5]) for s in segments if s[0] == 2)
    entries = [(begin + 16 * i, *struct.unpack_from("<QQ", data, begin + 16 * i)) for i in range(size // 16)]
    table = next(v for _, t, v in entries if t == 5)
    place = next(s[2] + table - s[3] for s in segments if s[0] == 1 and s[3] <= table < s[3] + s[5])

    def text(tag, value):
        return data[place + value:data.index(0, place + value)].decode() if tag in (1, 14, 15, 29) else None
    return data, [(where, t, v, text(t, v)) for where, t, v in entries]


def without_needed(path, name):
    """Makes the entry for NAME one that the loader passes over, as tools that strip DT_NEEDED do."""
    data, entries = dynamic(path)
    for where, tag, _, text in entries:
        if tag == 1 and text == name:
            struct.pack_into("<Q", data, where, 0x6ffffd00)
    with open(path, "wb") as file:
        file.write(data)


@case
def the_files_of_this_system_are_bound_as_the_loader_binds_them(world):
    found = sorted({os.path.realpath(p) for pattern in ("/usr/bin/*", "/usr/lib/x86_64-linux-gnu/*.so*", "/usr/lib/x86_64-linux-gnu/*/*.so*",
                                                        "/usr/lib/python3*/*/*.so") for p in glob.glob(pattern)})
    found = [p for p in found if is_elf(p)]
    check(len(found) >= SYSTEM_FILES, f"only {len(found)} files")
    for path in found[::len(found) // SYSTEM_FILES][:SYSTEM_FILES]:
        agree(path)


@case
def a_python_extension_gets_from_python_what_it_imports(world):
    python = os.path.realpath(shutil.which("python3"))
    extensions = sorted(glob.glob("/usr/lib/python3.*/lib-dynload/*.so"))
    check(len(extensions) >= 5, str(extensions))
    for path in extensions[:40]:
        mine = traced.model(DUMP, path, main=python)
        check(not (mine.undefined or mine.late or mine.missing or mine.refused), f"{path}: {mine.undefined} {mine.late} {mine.refused}")
        done = subprocess.run([python, "-c", f"import ctypes; ctypes.CDLL('{path}')"], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"{path}: {done.stderr}")


@case
def every_place_is_searched_in_the_loaders_order(world):
    """Each row: which copies there are, and how the program and its library name theirs."""
    for deep in ("inside", "env", "own"):
        shared(world, f"{deep}/libdeep.so.1", f'const char *who(void) {{ return "{deep}"; }}\n')
    for number, (kind, path) in enumerate((("rpath", "$ORIGIN/own"), ("runpath", "$ORIGIN/own"), ("rpath", "${ORIGIN}/nowhere:$ORIGIN/own///"),
                                           ("runpath", "$ORIGIN/$LIB:$ORIGIN/$PLATFORM:$ORIGINown"), ("rpath", ""), ("runpath", ":/nowhere"),
                                           ("rpath", "$ORIGIN/own;$ORIGIN/inside"), ("runpath", "${LIB}x:$LIBx:$ORIGIN/own"))):
        for inner in ("", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../inside", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/../inside"):
            shared(world, "mid/libmid.so.1", "const char *who(void);\nconst char *mid(void) { return who(); }\n",
                   world.path("inside/libdeep.so.1"), *([inner] if inner else []))
            tags = "enable" if kind == "runpath" else "disable"
            made = program(world, f"program{number}", "const char *mid(void);\nint main(void) { return mid()[0]; }\n",
                           world.path("mid/libmid.so.1"), f"-Wl,--{tags}-new-dtags", f"-Wl,-rpath,{path}:$ORIGIN/mid")
            for env in (None, world.path("env"), world.path("empty"), world.path("empty") + ";" + world.path("env"), "$ORIGIN/env"):
                agree(made, env)


@case
def a_directory_of_the_processors_kind_comes_before_its_own(world):
    made = program(world, "program", "const char *who(void);\nint main(void) { return who()[0]; }\n",
                   shared(world, "own/libthing.so.1", 'const char *who(void) { return "x"; }\n'), "-Wl,-rpath,$ORIGIN/own")
    seen = set()
    for sub in ("x86_64", "tls", "haswell/x86_64", "glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v9"):
        os.makedirs(world.path("own/" + sub))
        shutil.copy(world.path("own/libthing.so.1"), world.path(f"own/{sub}/libthing.so.1"))
        seen.add(agree(made).maps[1])
    check(len(seen) > 1, f"no subdirectory counts on this machine: {seen}")


@case
def files_of_other_classes_and_machines_are_passed_over_and_broken_ones_are_not(world):
    good = shared(world, "good/libthing.so.1", 'const char *who(void) { return "x"; }\n')
    whole = open(good, "rb").read()
    made = program(world, "program", "const char *who(void);\nint main(void) { return who()[0]; }\n", good, "-Wl,-rpath,$ORIGIN/good")
    os.makedirs(world.path("bad"))
    os.makedirs(world.path("bad2/libthing.so.1"))
    for content in (b"", b"#!/bin/sh\n", whole[:4] + b"\x01" + whole[5:], whole[:18] + b"\xb7\x00" + whole[20:], whole[:64], whole[:20],
                    whole[:16] + b"\x01\x00" + whole[18:], b"INPUT(libother.so)\n"):
        with open(world.path("bad/libthing.so.1"), "wb") as file:
            file.write(content)
        agree(made, world.path("bad"))
    agree(made, world.path("bad2"))
    os.remove(world.path("bad/libthing.so.1"))
    os.symlink("libthing.so.1", world.path("bad/libthing.so.1"))
    agree(made, world.path("bad"))


@case
def a_library_without_default_directories_does_not_get_what_is_there(world):
    deep = shared(world, "deep/libgwdeep.so.1", "int deep(void) { return 1; }\n")
    for flag in ("-Wl,-z,nodefaultlib", "-Wl,-z,now"):
        mid = shared(world, "mid/libmid.so.1", "int deep(void);\ndouble sqrt(double);\ndouble mid(double x) { return sqrt(x) + deep(); }\n", deep, "-lm",
                     "-Wl,-rpath,$ORIGIN/../deep", flag)
        made = program(world, "program", "double mid(double);\nint main(int c, char **v) { (void)v; return (int)mid(c); }\n", mid, "-Wl,-rpath,$ORIGIN/mid")
        trace = agree(made)
        check(bool(trace.missing) == ("nodefaultlib" in flag), str(trace.missing))


@case
def a_soname_or_a_file_that_is_mapped_is_not_looked_for_again(world):
    """Links, other names, names with a slash, and names that only a SONAME bears."""
    real = shared(world, "real/libreal.so.1.2", "int real(void) { return 1; }\n", soname="libreal.so.1")
    os.symlink("libreal.so.1.2", world.path("real/libreal.so.1"))
    os.makedirs(world.path("link"))
    os.symlink("../real/libreal.so.1.2", world.path("link/libalias.so.7"))
    shared(world, "stub/libalias.so.7", "int real(void);\n", soname="libalias.so.7")
    one = shared(world, "one/libone.so", "int real(void);\nint one(void) { return real(); }\n", world.path("real/libreal.so.1"), "-Wl,-rpath,$ORIGIN/../real")
    two = shared(world, "one/libtwo.so", "int real(void);\nint two(void) { return real(); }\n", world.path("stub/libalias.so.7"), "-Wl,-rpath,$ORIGIN/../link")
    bare = shared(world, "one/libbare.so", "int bare(void) { return 1; }\n", soname="")
    for order in ((one, two), (two, one)):
        made = program(world, "program", "int one(void);\nint two(void);\nint bare(void);\nint main(void) { return one() + two() + bare(); }\n", *order, bare)
        agree(made)
        agree(made, world.path("link"))
    os.remove(world.path("real/libreal.so.1"))
    agree(program(world, "program", "int one(void);\nint two(void);\nint main(void) { return one() + two(); }\n", one, two))
    check(os.path.exists(real), "the file itself is still there")


@case
def cycles_end(world):
    shared(world, "libb.so.1", "int b(void) { return 1; }\n")
    a = shared(world, "liba.so.1", "int b(void);\nint a(void) { return b(); }\n", world.path("libb.so.1"), "-Wl,-rpath,$ORIGIN")
    b = shared(world, "libb.so.1", "int a(void);\nint b(void) { return a(); }\n", a, "-Wl,-rpath,$ORIGIN")
    agree(program(world, "program", "int a(void);\nint main(void) { return a(); }\n", a, "-Wl,-rpath,$ORIGIN"))
    agree(b)


V1, V2 = "V1 { global: foo; bar; number; };\n", "V1 { global: foo; bar; number; };\nV2 { global: more; } V1;\n"
WHOLE = "int foo(void) { return 1; }\nint bar(void) { return 2; }\nint number = 3;\n"
USER = ("int foo(void);\nint bar(void);\nextern int number;\nint more(void);\n"
        "int main(int c, char **v) { (void)v; return c > 1 ? foo() : c > 2 ? %s : bar() + number; }\n")


@case
def versions_and_symbols_are_missing_when_the_loader_misses_them(world):
    """A program is linked to one form of a library and meets another."""
    forms = {
        "whole": (WHOLE, V1), "newer": (WHOLE + "int more(void) { return 4; }\n", V2), "without foo": (WHOLE.replace("int foo", "int oof"), V1),
        "without number": (WHOLE.replace("number", "numeral"), V1), "other node": (WHOLE, V1.replace("V1", "W1")),
        # A library that needs versions of the C library has a table of them, and is no library without versions to the loader.
        "no versions": (WHOLE, None), "no versions at all": (WHOLE, None), "no versions at all, without foo": (WHOLE.replace("int foo", "int oof"), None),
        "no versions, without foo": (WHOLE.replace("int foo", "int oof"), None),
        "node of the own name": (WHOLE, V1.replace("V1", "libthing.so.1")), "hidden": (
            'int foo_1(void) { return 1; }\n__asm__(".symver foo_1,foo@V1");\nint foo_2(void) { return 2; }\n__asm__(".symver foo_2,foo@@V2");\n'
            "int bar(void) { return 2; }\nint number = 3;\n", "V1 { global: foo; bar; number; };\nV2 { global: foo; } V1;\n")}
    users = {"plain": ("foo()", []), "now": ("foo()", ["-Wl,-z,now"]), "no copy": ("foo()", ["-fPIE", "-pie", "-mno-direct-extern-access"]),
             "newer": ("more()", []), "hash": ("foo()", ["-Wl,--hash-style=sysv"])}
    seen = set()
    for linked, (text, script) in forms.items():
        users_of = ("newer",) if linked == "newer" else ("plain", "now", "no copy", "hash")
        if "without" in linked:         # nothing links to these
            continue
        library = shared(world, "lib/libthing.so.1", text, *([versions(world, "map", script)] if script else []))
        for user in users_of:
            call, flags = users[user]
            try:
                program(world, f"{linked}-{user}".replace(" ", "_"), USER % call, library, "-Wl,-rpath,$ORIGIN/lib", "-Wl,-z,lazy", *flags)
            except subprocess.CalledProcessError:
                continue                # a compiler without that option
    made = [p for p in glob.glob(world.path("*-*")) if is_elf(p)]
    check(len(made) >= 15, str(made))
    for met, (text, script) in forms.items():
        for style in ("gnu", "sysv"):
            shared(world, "lib/libthing.so.1", text, "-Wl,--hash-style=" + style, *(["-nostdlib"] if "at all" in met else []), *([versions(world, "map", script)] if script else []))
            for path in made:
                trace = agree(path)
                seen |= {"assertion"} if trace.assertion else set()
                seen |= {k for k in ("versions", "undefined", "late") if getattr(trace, k)}
    check(seen == {"assertion", "versions", "undefined", "late"}, f"the loader never came to all ends: {seen}")


@case
def weak_references_are_never_missing_and_a_preload_supplies_what_is(world):
    library = shared(world, "lib/libthing.so.1", WHOLE, versions(world, "map", V1))
    weak = program(world, "weak", "#pragma weak foo\n" + USER % "foo()", library, "-Wl,-rpath,$ORIGIN/lib")
    strong = program(world, "strong", USER % "foo()", library, "-Wl,-rpath,$ORIGIN/lib", "-Wl,-z,now")
    shared(world, "lib/libthing.so.1", WHOLE.replace("int foo", "int oof"), versions(world, "map", V1))
    plain = shared(world, "pre/libplain.so", "int foo(void) { return 7; }\n")
    same = shared(world, "pre/libsame.so", "int foo(void) { return 7; }\n", versions(world, "map2", "V1 { global: foo; };\n"))
    other = shared(world, "pre/libother.so", "int foo(void) { return 7; }\n", versions(world, "map3", "W1 { global: foo; };\n"))
    for preload, lacks in ((None, True), (plain, False), (same, False), (other, True), (f"{other} {plain}", False), (f"{other}:{same}", False)):
        check(not agree(weak, preload=preload).undefined, "weak")
        check(bool(agree(strong, preload=preload).undefined) == lacks, f"{preload}")
    check(not agree(strong, world.path("pre"), "libplain.so").undefined, "a preload by its name")


@case
def a_version_of_a_file_that_is_not_needed_ends_the_loader_unless_it_is_mapped_by_that_name(world):
    library = shared(world, "lib/libthing.so.1", WHOLE, versions(world, "map", V1))
    made = program(world, "stripped", USER % "foo()", library)
    without_needed(made, "libthing.so.1")
    check(agree(made).assertion, "without the library")
    check(agree(made, preload=library).assertion, "by its path")
    check(not agree(made, world.path("lib"), "libthing.so.1").assertion, "by its name")


@case
def symbolic_protected_and_hidden_symbols_stay_at_home(world):
    text = ("int foo(void) { return 1; }\nint use(void) { return foo(); }\n"
            "__attribute__((visibility(\"protected\"))) int prot(void) { return 1; }\nint useprot(void) { return prot(); }\n"
            "__attribute__((visibility(\"hidden\"))) int hid(void) { return 1; }\nint (*usehid(void))(void) { return hid; }\n")
    for flag in ("-Wl,-Bsymbolic", "-Wl,-Bsymbolic-functions", "-Wl,-z,lazy"):
        library = shared(world, "lib/libsym.so.1", text, flag)
        agree(program(world, "program", "int foo(void) { return 2; }\nint prot(void) { return 2; }\nint hid(void) { return 2; }\nint use(void);\nint useprot(void);\n"
                      "int main(void) { return use() + useprot() + foo() + prot() + hid(); }\n", library, "-Wl,-rpath,$ORIGIN/lib", "-rdynamic"))


@case
def filtees_are_looked_into_before_their_filters(world):
    """DT_FILTER and DT_AUXILIARY: new ones, ones that are mapped already, before or behind, filters of filters, and missing ones."""
    who = 'int {0}(void) {{ return 1; }}\nint shared(void) {{ return {1}; }}\n'
    for number, name in enumerate(("one", "two", "deep")):
        shared(world, f"lib/lib{name}.so.1", who.format(name, number))
    shared(world, "lib/libchain.so.1", who.format("chain", 7), "-Wl,-F,libdeep.so.1", "-Wl,-rpath,$ORIGIN")
    for kind, name in ((k, n) for k in ("-Wl,-F,", "-Wl,-f,") for n in ("libone.so.1", "libchain.so.1", "libnone.so.1")):
        shared(world, "lib/libfilter.so.1", who.format("filter", 9), kind + name, "-Wl,-rpath,$ORIGIN")
        for order in (("filter",), ("one", "filter", "two"), ("two", "filter", "one"), ("filter", "chain", "deep"), ("deep", "filter", "one", "chain")):
            made = program(world, "program", "".join(f"int {one}(void);\n" for one in order) + "int shared(void);\nint main(void) { return shared() + "
                           + " + ".join(f"{one}()" for one in order) + "; }\n", *(world.path(f"lib/lib{one}.so.1") for one in order), "-Wl,-rpath,$ORIGIN/lib")
            agree(made)


@case
def a_library_of_another_system_is_refused_and_one_of_a_newer_kernel_as_the_loader_does(world):
    good = shared(world, "good/libthing.so.1", 'const char *who(void) { return "x"; }\n')
    made = program(world, "program", "const char *who(void);\nint main(void) { return who()[0]; }\n", good, "-Wl,-rpath,$ORIGIN/bad:$ORIGIN/good")
    whole = open(good, "rb").read()
    os.makedirs(world.path("bad"))
    for abi in (0, 3, 6, 9, 255):
        with open(world.path("bad/libthing.so.1"), "wb") as file:
            file.write(whole[:7] + bytes([abi]) + whole[8:])
        agree(made)
    note = world.write("note.s", '.section .note.ABI-tag, "a", @note\n.align 4\n.long 4, 16, 1\n.asciz "GNU"\n.long 0, %s\n.section .note.GNU-stack,"",@progbits\n')
    for kernel in ("2, 6, 32", "99, 0, 0"):
        world.write("note.s", '.section .note.ABI-tag, "a", @note\n.align 4\n.long 4, 16, 1\n.asciz "GNU"\n.long 0, %s\n.section .note.GNU-stack,"",@progbits\n' % kernel)
        shared(world, "bad/libthing.so.1", 'const char *who(void) { return "x"; }\n', note)
        agree(made)


@case
def a_root_is_a_world_of_its_own(world):
    """Absolute links are followed inside it, and its cache and default directories count; without a cache, its ld.so.conf."""
    made = shared(world, "root/opt/app/libapp.so", "const char *who(void);\nconst char *app(void) { return who(); }\n",
                  shared(world, "root/opt/lib/libthing.so.1.5", 'const char *who(void) { return "x"; }\n', soname="libthing.so.1"), "-Wl,-rpath,/opt/links", "-nostdlib")
    os.makedirs(world.path("root/opt/links"))
    os.symlink("/opt/lib/../lib/libthing.so.1.5", world.path("root/opt/links/libthing.so.1"))
    inside = made[len(world.path("root")):]

    def mapped():
        done = subprocess.run([DUMP, inside], env=dict(traced.CLEAN, GW_ROOT=world.path("root")), capture_output=True, text=True, check=False)
        return [line for line in done.stdout.splitlines() if "libc.so.6" not in line], done

    check(mapped()[0] == ["map /opt/app/libapp.so", "map /opt/links/libthing.so.1"], str(mapped()))
    os.remove(world.path("root/opt/links/libthing.so.1"))
    os.symlink("/opt/links/libthing.so.1", world.path("root/opt/links/libthing.so.1"))
    check(mapped()[0] == ["map /opt/app/libapp.so", "missing libthing.so.1"], str(mapped()))
    os.remove(world.path("root/opt/links/libthing.so.1"))
    # Without a cache, the directories that ldconfig would list.
    world.write("root/etc/ld.so.conf", "# none\ninclude ld.so.conf.d/*.conf ld.so.conf\nhwcap 0 nothing\nrelative\n")
    check(mapped()[0] == ["map /opt/app/libapp.so", "missing libthing.so.1"], str(mapped()))
    os.symlink("libthing.so.1.5", world.path("root/opt/lib/libthing.so.1"))
    world.write("root/etc/ld.so.conf.d/a.conf", "  /opt/none\n\t/opt/lib//  # here\n")
    check(mapped()[0] == ["map /opt/app/libapp.so", "map /opt/lib/libthing.so.1"], str(mapped()))
    os.remove(world.path("root/opt/lib/libthing.so.1"))
    os.remove(world.path("root/etc/ld.so.conf.d/a.conf"))
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    world.write("root/etc/ld.so.conf", "/opt/lib\n")
    os.makedirs(world.path("root/opt/lib/glibc-hwcaps/x86-64-v2"))
    shutil.copy(world.path("root/opt/lib/libthing.so.1.5"), world.path("root/opt/lib/glibc-hwcaps/x86-64-v2/libthing.so.1.5"))
    subprocess.run([ldconfig, "-r", world.path("root")], check=True, capture_output=True)
    check(any(line.startswith("map /opt/lib/glibc-hwcaps/x86-64-v2/libthing.so.1") for line in mapped()[0]), str(mapped()))
    cache = bytearray(open(world.path("root/etc/ld.so.cache"), "rb").read())
    for length in list(range(0, len(cache), 7)) + [len(cache)]:
        for broken in (cache[:length], cache[:length] + b"\xff" * (len(cache) - length)):
            with open(world.path("root/etc/ld.so.cache"), "wb") as file:
                file.write(broken)
            done = mapped()[1]
            check(done.returncode == 0 and (not done.stderr or "/etc/ld.so.cache:0x" in done.stderr), f"{length}: {done}")


@case
def a_file_that_names_a_million_places_ends_in_an_error(world):
    library = shared(world, "lib/libthing.so.1", "int foo(void) { return 1; }\n")
    made = program(world, "program", "int main(void) { return 0; }\n", library, "-Wl,-rpath," + "$ORIGIN:/tmp/./:" * 5000,
                   *(shared(world, f"lib/libthing{i}.so", "int foo(void) { return 1; }\n") for i in range(200)))
    shutil.rmtree(world.path("lib"))
    done = subprocess.run([DUMP, made], env=traced.CLEAN, capture_output=True, text=True, timeout=20, check=False)
    check(done.returncode == 1 and done.stdout.startswith(f"error {made}: too many"), str(done)[:500])


@case
def every_broken_byte_of_what_the_loader_reads_ends_in_an_answer(world):
    """Never a crash, and no other answer than an error with its place, or a trace."""
    library = shared(world, "lib/libthing.so.1", WHOLE, versions(world, "map", V2.replace("more", "bar")), "-Wl,-z,separate-code", "-Wl,--hash-style=both")
    made = program(world, "program", USER % "foo()", library, "-Wl,-rpath,$ORIGIN/lib")
    whole = open(library, "rb").read()
    end = 0x700
    _, entries = dynamic(library)
    places = list(range(0, end, 3)) + list(range(entries[0][0], entries[-1][0], 4))
    for number, place in enumerate(places):
        broken = bytearray(whole)
        broken[place] ^= (0xFF, 0x01, 0x80)[number % 3]
        if number % 4 == 0 and place % 8 == 0:
            broken[place:place + 8] = b"\xff" * 8
        with open(library, "wb") as file:
            file.write(broken)
        done = subprocess.run([DUMP, made], env=traced.CLEAN, capture_output=True, timeout=20, check=False)
        check(done.returncode == 0 and done.stdout and b"Sanitizer" not in done.stderr, f"{place:#x}: {done}")
    for length in range(0, len(whole), 97):
        with open(library, "wb") as file:
            file.write(whole[:length])
        done = subprocess.run([DUMP, made], env=traced.CLEAN, capture_output=True, timeout=20, check=False)
        check(done.returncode == 0 and done.stdout, f"{length:#x}: {done}")


if __name__ == "__main__":
    main()
