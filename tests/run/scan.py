# SPDX-License-Identifier: Apache-2.0
"""`gangway scan`: each needed name gets what the loader would give it."""
import json
import os
import shutil
import subprocess

from harness import case, check, main, registry

OLD, OLD_LT, NEW = "libcublas.so.11", "libcublasLt.so.11", "libcublas.so.13"


def scanned(world, *arguments, status=0, env=None):
    result = world.run("scan", "--json", *arguments, env=env)
    check(result.status == status, f"expected status {status}\n{result}")
    files = json.loads(result.out)["files"]
    for file in files:
        for finding in file["findings"]:
            registry.check("    {code} {severity}: {text}: {remedy}".format(**finding))
    return files


def need(file, soname):
    found = [n for n in file["needs"] if n["soname"] == soname]
    check(len(found) == 1, f"{soname} in {file['needs']}")
    return found[0]


def expect(file, soname, status, path=None):
    entry = need(file, soname)
    check(entry["status"] == status, f"expected {status}: {entry}")
    if path:
        check(entry["path"] and os.path.samefile(entry["path"], path), f"expected {path}: {entry}")


def codes(file):
    return [finding["code"] for finding in file["findings"]]


@case
def needed_names_are_what_the_loader_gives_programs_of_this_system(world):
    programs = [p for p in ("/bin/sh", "/bin/ls", "/usr/bin/env", shutil.which("cc"), "/usr/bin/python3", "/usr/bin/git")
                if p and os.path.exists(p)]
    check(len(programs) >= 4, str(programs))
    for program in programs:
        text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        truth = {line.split()[0]: line.split()[2] for line in text.splitlines() if "=>" in line}
        for entry in scanned(world, program)[0]["needs"]:
            if entry["soname"] in truth:
                check(os.path.samefile(entry["path"], truth[entry["soname"]]), f"{program}: {entry}")
            else:
                check(entry["soname"].startswith("ld-linux"), f"{program}: {entry}")


@case
def rpath_library_path_and_runpath_are_searched_in_the_loaders_order(world):
    """Each row: where copies lie, how the program names its own directory, and which copy the loader takes, as the program itself says."""
    for own in ("rpath", "runpath"):
        for copies in (("own",), ("env",), ("own", "env")):
            shutil.rmtree(world.path("own"), ignore_errors=True)
            shutil.rmtree(world.path("env"), ignore_errors=True)
            os.makedirs(world.path("env"))
            for place in ("build", *copies):
                world.answering(f"{place}/libthing.so.3", place)
            tags = "enable" if own == "runpath" else "disable"
            program = world.needing("program", world.path("build/libthing.so.3"), f"-Wl,--{tags}-new-dtags",
                                    "-Wl,-rpath,${ORIGIN}/nowhere:$ORIGIN/own")
            env = {"LD_LIBRARY_PATH": world.path("env")}
            winner = world.bare(program, env=env).out.strip()
            check(winner in copies, f"{own} {copies}: {winner}")
            for options, env_too in ((["--library-path", world.path("env")], None), ([], env)):
                expect(scanned(world, *options, program, env=env_too)[0], "libthing.so.3", "found",
                       world.path(f"{winner}/libthing.so.3"))


@case
def an_rpath_is_inherited_and_a_runpath_is_not(world):
    deep = world.answering("deep/libdeep.so.1", "deep")
    middle = world.library("middle/libmiddle.so.1", "const char *who(void);\nconst char *middle(void) { return who(); }\n",
                           deep)
    for tags, status in (("disable", 0), ("enable", 127)):
        program = world.needing("program", middle, f"-Wl,--{tags}-new-dtags",
                                "-Wl,-rpath,$ORIGIN/middle:$ORIGIN/deep", function="middle")
        check(world.bare(program).status == status, f"{tags}: the loader itself disagrees with this test")
        file = scanned(world, program, status=1 if status else 0)[0]
        lost = [n for n in file["needs"] if n["soname"] == "libdeep.so.1"]
        check(bool(lost) == bool(status), f"{tags}: {file}")
        if lost:
            check(lost[0]["status"] == "missing" and lost[0]["by"].endswith("libmiddle.so.1"), str(lost))


@case
def a_missing_name_with_a_facade_is_a_note_and_without_one_an_error(world):
    old = world.answering("build/" + OLD, "real")
    other = world.answering("build/libother.so.4", "real", "other")
    world.facade(OLD)
    target = world.answering("target/" + NEW, "target")
    env = {"GANGWAY_CUBLAS": world.path("target")}
    program = world.needing("program", old)
    file = scanned(world, program, env=env)[0]
    expect(file, OLD, "facade", target)
    check(codes(file) == ["GW-102"] and target in file["findings"][0]["text"], str(file))
    check(need(file, OLD)["family"] == "cublas", str(file))
    check(f"would forward to {target}" in world.run("scan", program, env=env).out, str(file))
    program = world.needing("program", old, other)
    file = scanned(world, program, status=1, env=env)[0]
    expect(file, "libother.so.4", "missing")
    check(codes(file) == ["GW-102", "GW-101"], str(file))


@case
def a_newer_name_with_a_facade_is_a_note_where_only_an_older_library_is(world):
    middle = "libcublas.so.12"
    program = world.needing("newer", world.answering("build/" + middle, "real"))
    world.facade(middle)
    target = world.answering("target/" + OLD, "target")
    file = scanned(world, program, env={"GANGWAY_CUBLAS": world.path("target")})[0]
    expect(file, middle, "facade", target)
    check(codes(file) == ["GW-102"] and target in file["findings"][0]["text"], str(file))


@case
def a_facade_without_a_target_is_an_error_that_names_what_it_would_forward_to(world):
    program = world.needing("program", world.answering("build/" + OLD, "real"))
    world.facade(OLD)
    file = scanned(world, program, status=1, env={"GANGWAY_CUBLAS": world.path("empty")})[0]
    expect(file, OLD, "missing")
    check(codes(file) == ["GW-101"], str(file))
    for word in (NEW, "GANGWAY_CUBLAS", "nothing to forward to"):
        check(word in file["findings"][0]["text"], str(file))


@case
def a_target_is_found_where_the_shim_will_look(world):
    program = world.needing("program", world.answering("build/" + OLD, "real"))
    world.facade(OLD)
    for place, arguments, env in (("own", [], {"GANGWAY_CUBLAS": world.path("own")}),
                                  ("ours", [], {"GANGWAY_LIBRARY_PATH": f"{world.path('empty')}:{world.path('ours')}"}),
                                  ("theirs", ["--library-path", world.path("theirs")], {}),
                                  ("site/nvidia/any/lib", ["--python", "site"], {})):
        target = world.answering(f"{place}/{NEW}", "target")
        expect(scanned(world, *arguments, program, env=env)[0], OLD, "facade", target)


@case
def a_library_path_that_is_no_directory_is_one_clear_error(world):
    for value, status, text in (("/nowhere", 3, "--library-path /nowhere: no such directory\n"),
                                ("", 2, "--library-path: no directory is given\n")):
        result = world.run("scan", "--library-path", value, "/bin/ls")
        check(result.status == status and result.out == "" and result.err == "gangway: " + text, str(result))


@case
def a_library_of_the_python_paths_is_found_and_marked(world):
    old = world.answering("build/" + OLD, "real")
    program = world.needing("program", old)
    wheel = world.answering("site/nvidia/cublas/lib/" + OLD, "wheel")
    world.facade(OLD)
    file = scanned(world, "--python", "site", program)[0]
    expect(file, OLD, "found", wheel)
    check(need(file, OLD)["through"] == "python" and codes(file) == ["GW-105"], str(file))
    check("release" not in need(file, OLD), str(file))
    os.makedirs(world.path("site/nvidia_cublas_cu11-11.10.3.66.dist-info"))
    check(need(scanned(world, "--python", "site", program)[0], OLD)["release"] == "11.10.3.66", str(file))
    os.makedirs(world.path("site/pkg"))
    inside = shutil.move(program, world.path("site-packages"))
    os.rename(world.path("site"), world.path("lib"))
    os.rename(inside, world.path("program"))
    os.rename(world.path("lib"), world.path("site-packages"))
    os.rename(world.path("program"), world.path("site-packages/pkg/program"))
    file = scanned(world, world.path("site-packages/pkg/program"))[0]
    expect(file, OLD, "found", world.path("site-packages/nvidia/cublas/lib/" + OLD))


@case
def imports_are_counted_by_family_and_an_unknown_function_is_named(world):
    script = world.write("map", f"{OLD} {{ global: *; }};\n")
    world.library("build/" + OLD, "void cublasCreate_v2(void) {}\nvoid cublasDestroy_v2(void) {}\n"
                  "void cublasNeverWas(void) {}\n", "-Wl,--version-script=" + script)
    user = world.library("libuser.so.1", "void cublasCreate_v2(void);\nvoid cublasDestroy_v2(void);\n"
                         "void cublasNeverWas(void);\nvoid f(void)\n{\n\tcublasCreate_v2();\n\tcublasDestroy_v2();\n"
                         "\tcublasNeverWas();\n}\n", world.path("build/" + OLD))
    file = scanned(world, "--library-path", world.path("build"), user, status=1)[0]
    check(file["soname"] == "libuser.so.1", str(file))
    check(file["imports"] == {"cublas": {"count": 3, "missing": [
        {"name": "cublasNeverWas", "node": OLD, "first_release": None}]}}, str(file["imports"]))
    check(codes(file) == ["GW-103"], str(file))


@case
def a_function_that_another_soname_has_is_named_with_the_first_release_that_does(world):
    script = world.write("map", f"{OLD} {{ global: *; }};\n")
    world.library("build/" + OLD, "void cublasGemmEx_64(void) {}\n", "-Wl,--version-script=" + script)
    user = world.library("libuser.so.1", "void cublasGemmEx_64(void);\nvoid f(void)\n{\n\tcublasGemmEx_64();\n}\n", world.path("build/" + OLD))
    finding = scanned(world, "--library-path", world.path("build"), user, status=1)[0]["findings"][0]
    check(finding["code"] == "GW-103" and finding["text"].endswith("the first that has is 12.0.1.189"), str(finding))


@case
def a_needed_library_that_is_cut_short_is_told_with_its_path(world):
    library = world.answering("build/" + OLD, "real")
    program = world.needing("program", library)
    with open(library, "r+b") as file:
        file.truncate(40)
    file = scanned(world, "--library-path", world.path("build"), program, status=1)[0]
    check(codes(file) == ["GW-104"] and library in file["findings"][0]["text"], str(file))


FACTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "abi", "facts")


def releases_of(family):
    with open(os.path.join(FACTS, family + ".abi"), encoding="utf-8") as file:
        return [line.split("\t")[1] for line in file if line.startswith("release\t")]


def declared(family, function):
    """The oldest and the newest release that declares a function."""
    with open(os.path.join(FACTS, family + ".abi"), encoding="utf-8") as file:
        spans = [line.rstrip("\n").split("\t")[4] for line in file if line.startswith(f"function\t{function}\t")]
    ends = [end for span in spans for part in span.split(",") for end in part.split("..")]
    return min((e for e in ends if e), key=releases_of(family).index), releases_of(family)[-1] if "" in ends else max(
        ends, key=releases_of(family).index)


def importing(world, name, soname, *functions):
    """A library that imports functions from a made-up SONAME with its version node."""
    script = world.write(name + ".map", f"{soname} {{ global: *; }};\n")
    world.library(f"build-{name}/{soname}", "".join(f"void {f}(void) {{}}\n" for f in functions), "-Wl,--version-script=" + script)
    world.library(name, "".join(f"void {f}(void);\n" for f in functions) + "void f(void)\n{\n" + "".join(f"\t{f}();\n" for f in functions) + "}\n",
                  world.path(f"build-{name}/{soname}"))
    return world.path(name)


def built_for(world, path, status=1):
    return {entry["family"]: (entry["min"], entry["max"], entry["evidence"]) for entry in scanned(world, path, status=status)[0]["built_for"]}


@case
def what_a_file_was_built_for_follows_from_nodes_and_functions(world):
    twelve = [r for r in releases_of("cublas") if r.startswith("12.")]
    eight = [r for r in releases_of("cudnn") if r.startswith("8.")]
    function = "cublasGemmGroupedBatchedEx"
    first = declared("cublas", function)[0]
    check(first in twelve[1:], "the test wants a function that came in the middle of 12.x")
    path = importing(world, "libnew.so.1", "libcublas.so.12", "cublasCreate_v2", function)
    check(built_for(world, path) == {"cublas": (first, twelve[-1], f"imports {function}; node libcublas.so.12")}, str(built_for(world, path)))
    check(f"built for cublas {first} to {twelve[-1]} (imports {function}; node libcublas.so.12)\n" in world.run("scan", path).out, "the text says so")
    # A file that asks whether the function is there can do without it.
    build = importing(world, "libboth.so.1", "libcublas.so.12", "cublasCreate_v2", function)
    path = world.library("libweak.so.1", f"void cublasCreate_v2(void);\nvoid {function}(void) __attribute__((weak));\n"
                         f"void f(void)\n{{\n\tcublasCreate_v2();\n\tif ({function})\n\t\t{function}();\n}}\n", os.path.dirname(build) + "/build-libboth.so.1/libcublas.so.12")
    check(built_for(world, path) == {"cublas": (twelve[0], twelve[-1], "node libcublas.so.12")}, str(built_for(world, path)))
    path = importing(world, "libold.so.1", "libcudnn.so.8", "cudnnSetRNNDescriptor_v6")
    check(built_for(world, path)["cudnn"][:2] == (eight[0], eight[-1]), str(built_for(world, path)))


@case
def what_a_file_opens_by_name_tells_the_major_release_and_an_own_release_tells_nothing(world):
    thirteen = [r for r in releases_of("cublas") if r.startswith("13.")]
    path = world.library("libopener.so.1", f'const char *name(void) {{ return "{NEW}"; }}\n')
    check(built_for(world, path, 0) == {"cublas": (thirteen[0], thirteen[-1], f"opens {NEW}")}, str(built_for(world, path, 0)))
    check(built_for(world, world.answering("build/" + NEW, "x"), 0) == {}, "a release's own file is not built for one")
    check(built_for(world, "/bin/ls", 0) == {}, "of nothing that is known, nothing is said")


@case
def what_a_files_python_package_requires_narrows_it_down(world):
    twelve = [r for r in releases_of("cublas") if r.startswith("12.")]
    mine = importing(world, "libmine.so.1", "libcublas.so.12", "cublasCreate_v2")
    os.makedirs(world.path("site/pkg/lib"))
    shutil.copy(mine, world.path("site/pkg/lib/libmine.so.1"))
    other = twelve[3][:twelve[3].rindex(".")] + "." + str(int(twelve[3].split(".")[-1]) + 1)     # between two that are known
    for number, (line, expected) in enumerate((
            (f"nvidia-cublas-cu12 (=={twelve[2]}) ; platform_system == \"Linux\"", (twelve[2], twelve[2])),
            (f"nvidia-cublas-cu12=={twelve[2]}; extra == 'cuda'", (twelve[2], twelve[2])),
            (f"nvidia_cublas.cu12 == {other}", (twelve[3], twelve[4])),
            (f"nvidia-cublas-cu12>={twelve[2]}", None), (f"nvidia-cublas=={twelve[2]}.x", None), (f"nvidia-cudnn-cu12=={twelve[2]}", None),
            ("nvidia-cublas-cu11==11.10.3.66", None), (f"nvidia-cublas-cu12-extra=={twelve[2]}", None))):
        shutil.rmtree(world.path("site/pkg-1.dist-info"), ignore_errors=True)
        world.write("site/pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/lib/libmine.so.1,sha256=x,1\n")
        world.write("site/pkg-1.dist-info/METADATA", f"Name: pkg\nRequires-Dist: {line}\n\nRequires-Dist: nvidia-cublas-cu12=={twelve[0]}\n")
        found = built_for(world, world.path("site/pkg/lib/libmine.so.1"))["cublas"]
        check(found[:2] == (expected or (twelve[0], twelve[-1])), f"{number}: {line}: {found}")
        check(("pkg-1.dist-info requires" in found[2]) == bool(expected), f"{number}: {line}: {found}")
    world.write("site/pkg-1.dist-info/RECORD", "other/pkg/lib/libmine.so.1,sha256=x,1\n")
    check("requires" not in built_for(world, world.path("site/pkg/lib/libmine.so.1"))["cublas"][2], "it is not of this package")


@case
def a_broken_file_gets_one_error_with_its_place_and_the_others_are_scanned(world):
    whole = open(world.opener(), "rb").read()
    rows = {"text": b"int main;\n", "empty-file": b"", "magic": whole[:4], "header": whole[:64],
            "half": whole[:len(whole) // 2], "one-page": whole[:0x2000 + 100]}
    for name, content in rows.items():
        with open(world.path(name), "wb") as file:
            file.write(content)
        result = world.run("scan", "--json", name, "/bin/sh")
        lines = result.err.splitlines()
        if result.status == 0:  # a file cut behind what the loader reads is whole for this purpose
            check(name == "half" and not lines, f"{name}\n{result}")
            continue
        check(result.status == 3 and len(lines) == 1 and lines[0].startswith(f"gangway: {name}:0x"), f"{name}\n{result}")
        check([f["path"] for f in json.loads(result.out)["files"]] == ["/bin/sh"], f"{name}\n{result}")


@case
def every_single_broken_byte_of_the_head_ends_in_an_answer(world):
    path = world.needing("program", world.answering("build/libthing.so.3", "x"))
    whole = bytearray(open(path, "rb").read())
    offsets = list(range(0, 64 + 56 * 6, 5))
    for offset in offsets:
        broken = bytearray(whole)
        broken[offset] ^= 0xFF
        with open(world.path(f"broken-{offset}"), "wb") as file:
            file.write(broken)
    result = world.run("scan", *(f"broken-{offset}" for offset in offsets))
    check(result.status in (1, 3), f"{result.status}\n{result.err[-2000:]}")
    check(result.err.count("\n") <= len(offsets), result.err[-2000:])


def bare_scan(world, *arguments, env=None):
    result = world.run("scan", "--json", *arguments, env=env)
    check(result.out, str(result))
    return result.status, json.loads(result.out)


def versioned(world, out, functions, node="V1", extra=""):
    """A library whose FUNCTIONS, returning 1, bear NODE."""
    script = world.write("script.map", f"{node} {{ global: {' '.join(f + ';' for f in functions)} }};\n")
    return world.library(out, "".join(f"int {f}(void) {{ return 1; }}\n" for f in functions) + extra, "-Wl,--version-script=" + script)


def calling(world, out, functions, library, *flags):
    """A program that calls FUNCTIONS when it has arguments."""
    return world.cc(out, "".join(f"int {f}(void);\n" for f in functions) + "int main(int c, char **v) { (void)v; return c > 1 ? "
                    + " + ".join(f"{f}()" for f in functions) + " : 0; }\n",
                    "-Wl,--no-as-needed", library, "-Wl,--allow-shlib-undefined", "-Wl,-z,lazy", *flags)


def only(file, code):
    found = [f for f in file["findings"] if f["code"] == code]
    check(len(found) == 1, f"expected one {code}: {file['findings']}")
    return found[0]


@case
def what_another_copy_lacks_is_named_with_the_copy_that_has_it(world):
    """Bound lazily, at once by the program's own flag, and by LD_BIND_NOW."""
    good = versioned(world, "good/libthing.so.1", ["foo", "bar"])
    old = versioned(world, "old/libthing.so.1", ["foo"])
    for flag, env, code in ((None, {}, "GW-112"), ("-Wl,-z,now", {}, "GW-111"), (None, {"LD_BIND_NOW": "1"}, "GW-111")):
        program = calling(world, "program", ["foo", "bar"], good, "-Wl,-rpath,$ORIGIN/good", *([flag] if flag else []))
        there = {"LD_LIBRARY_PATH": world.path("old"), **env}
        lost = world.bare(program, "call", env=there)
        check(lost.status == 127 and "undefined symbol: bar, version V1" in lost.err, str(lost))
        check((world.bare(program, env=there).status == 0) == (code == "GW-112"), "when it fails")
        file = scanned(world, "--library-path", world.path("old"), program, env=env, status=1)[0]
        found = only(file, code)
        for word in (old, "bar", program, "taken from LD_LIBRARY_PATH, which comes before the RUNPATH of program"):
            check(word in found["text"], f"{word}: {found}")
        cure = found["remedy"].split("LD_LIBRARY_PATH=")[1]
        check(os.path.samefile(cure, os.path.dirname(good)), str(found))
        check(world.bare(program, "call", env={"LD_LIBRARY_PATH": f"{cure}:{world.path('old')}"}).status == 2, "the cure")
        check(codes(scanned(world, "--library-path", f"{cure}:{world.path('old')}", program, env=env)[0]) == [], "the cure")


@case
def a_version_that_is_not_there_and_a_link_that_bears_anothers_name_are_named(world):
    built = versioned(world, "build/" + OLD, ["foo"], OLD)
    program = calling(world, "program", ["foo"], built)
    os.makedirs(world.path("links"))
    new = versioned(world, "new/" + NEW, ["foo"], NEW)
    os.symlink(new, world.path("links/" + OLD))
    path = world.path("links")
    check(f"version `{OLD}' not found" in world.bare(program, env={"LD_LIBRARY_PATH": path}).err, "the loader's words")
    found = only(scanned(world, "--library-path", path, program, status=1)[0], "GW-110")
    check("is a link to" in found["text"] and world.path("links/" + OLD) in found["text"] and "remove that link" in found["remedy"], str(found))
    check("gangway run" not in found["remedy"], "there is no facade here")
    world.facade(OLD)
    check("gangway run" in only(scanned(world, "--library-path", path, program, status=1)[0], "GW-110")["remedy"], "there is one now")
    # A library's own name counts as a version of it, so this takes another node.
    program = calling(world, "second", ["foo"], versioned(world, "build/libthing.so.1", ["foo"]))
    other = versioned(world, "other/libthing.so.1", ["foo"], "W1")
    check("version `V1' not found" in world.bare(program, env={"LD_LIBRARY_PATH": world.path("other")}).err, "the loader's words")
    found = only(scanned(world, "--library-path", world.path("other"), program, status=1)[0], "GW-110")
    check(other in found["text"] and "V1" in found["text"] and "is a link" not in found["text"], str(found))


@case
def symbols_without_a_version_are_an_error_of_a_program_and_a_note_of_a_library(world):
    library = world.library("lib/libplain.so", "int gone;\nint here(void) { return 1; }\n")
    source = "extern int gone;\nint here(void);\nint use(void) { return gone + here(); }\n"
    program = world.cc("program", source + "int main(void) { return use(); }\n", library, "-Wl,-rpath,$ORIGIN/lib", "-fPIE", "-pie", "-mno-direct-extern-access")
    user = world.library("lib/libuser.so", source, library, "-Wl,-rpath,$ORIGIN")
    world.library("lib/libplain.so", "int here(void) { return 1; }\n")
    found = only(scanned(world, program, status=1)[0], "GW-113")
    check(found["severity"] == "error" and "gone" in found["text"], str(found))
    found = only(scanned(world, user)[0], "GW-119")
    check(found["severity"] == "note" and "gone" in found["text"], str(found))


@case
def what_makes_the_loader_assert_is_named(world):
    built = versioned(world, "build/libthing.so.1", ["foo"])
    program = calling(world, "program", ["foo"], built, "-Wl,-z,now")
    world.cc("plain/libthing.so.1", "int foo(void) { return 1; }\n", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libthing.so.1")
    check("Inconsistency detected" in world.bare(program, env={"LD_LIBRARY_PATH": world.path("plain")}).err, "the loader's words")
    found = only(scanned(world, "--library-path", world.path("plain"), program, status=1)[0], "GW-114")
    check(world.path("plain/libthing.so.1") in found["text"] and "foo" in found["text"], str(found))


@case
def partners_of_two_releases_are_named_though_nothing_is_missing(world):
    twelve = [r for r in releases_of("cublas") if r.startswith("12.")]
    lt, blas = "libcublasLt.so.12", "libcublas.so.12"
    for place, release in (("one", twelve[3]), ("two", twelve[5])):
        versioned(world, f"{place}/nvidia/cublas/lib/{lt}", ["cublasLtCreate"], lt)
        os.makedirs(world.path(f"{place}/nvidia_cublas_cu12-{release}.dist-info"))
    script = world.write("script.map", f"{blas} {{ global: *; }};\n")
    path = world.library(f"one/nvidia/cublas/lib/{blas}", "int cublasLtCreate(void);\nint cublasCreate_v2(void) { return cublasLtCreate(); }\n",
                         "-Wl,--version-script=" + script, world.path(f"one/nvidia/cublas/lib/{lt}"), "-Wl,-rpath,$ORIGIN")
    check(codes(scanned(world, path)[0]) == [], "they belong together")
    other = world.path("two/nvidia/cublas/lib")
    found = only(scanned(world, "--library-path", other, path, status=1)[0], "GW-115")
    for word in (path, other, twelve[3], twelve[5], "LD_LIBRARY_PATH"):
        check(word in found["text"], f"{word}: {found}")
    check(world.path("one/nvidia/cublas/lib") in found["remedy"], str(found))
    check(codes(scanned(world, "--library-path", found["remedy"].split("=")[1] + ":" + other, path)[0]) == [], "the cure")


@case
def against_a_directory_comes_before_all(world):
    good = versioned(world, "good/libthing.so.1", ["foo", "bar"])
    old = versioned(world, "old/libthing.so.1", ["foo"])
    program = calling(world, "program", ["foo", "bar"], good, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/good")
    check(codes(scanned(world, "--library-path", world.path("old"), program)[0]) == [], "RPATH comes first")
    file = scanned(world, "--against", world.path("old"), program, status=1)[0]
    expect(file, "libthing.so.1", "found", old)
    check(codes(file) == ["GW-112"] and need(file, "libthing.so.1")["rule"] == "--against", str(file))
    result = world.run("scan", "--against", "/nowhere", program)
    check(result.status == 3 and result.err == "gangway: --against /nowhere: no such directory\n", str(result))


@case
def a_root_is_searched_as_a_program_in_it_would(world):
    """Paths are those inside, however the file is named."""
    library = versioned(world, "root/opt/lib/libthing.so.1", ["foo"])
    program = calling(world, "root/opt/bin/program", ["foo"], library, "-Wl,-rpath,/opt/links")
    os.makedirs(world.path("root/opt/links"))
    os.symlink("/opt/lib/libthing.so.1", world.path("root/opt/links/libthing.so.1"))
    for name in ("/opt/bin/program", program):
        file = scanned(world, "--root", world.path("root"), name, status=1)[0]    # there is no C library in it
        check(file["path"] == "/opt/bin/program" and need(file, "libthing.so.1")["path"] == "/opt/links/libthing.so.1", str(file))
        expect(file, "libc.so.6", "missing")
    os.remove(world.path("root/opt/links/libthing.so.1"))
    expect(scanned(world, "--root", world.path("root"), program, status=1)[0], "libthing.so.1", "missing")
    expect(scanned(world, "--root", world.path("root"), "--library-path", "/opt/lib", program, status=1)[0], "libthing.so.1", "found")
    check(world.run("scan", "--root", "/nowhere", program).status == 3, "a root that is not there")


@case
def below_a_directory_each_program_and_library_is_scanned(world):
    a = world.answering("tree/b/libone.so", "x")
    b = world.opener("tree/a/two")
    world.write("tree/text", "no program\n")
    world.write("tree/half", "\x7fELF")
    os.symlink(a, world.path("tree/link.so"))
    check([f["path"] for f in scanned(world, world.path("tree"))] == [b, a], "sorted, links left out")


@case
def a_python_extension_is_opened_by_a_python(world):
    source = "int PyLong_AsLong(void *);\nvoid *PyInit_thing(void) { return (void *)(long)PyLong_AsLong(0); }\n"
    check(codes(scanned(world, world.library("thing.so", source))[0]) == [], "Python has what it imports")
    file = scanned(world, world.library("other.so", source.replace("PyLong_AsLong", "PyNever_Was")), status=1)[0]
    check(only(file, "GW-113")["severity"] == "error", "it has not")


OPENING = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int see(struct dl_phdr_info *info, size_t size, void *argument) { (void)size; (void)argument; return strstr(info->dlpi_name, "libuser") != NULL; }
extern ElfW(Dyn) _DYNAMIC[];
int main(int argc, char **argv)
{
	int (*use)(void) = NULL, status = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		void *handle = argv[i][0] == 'M' ? dlmopen(LM_ID_NEWLM, argv[i + 1], RTLD_LAZY) : dlopen(argv[i + 1], RTLD_LAZY | (argv[i][0] == 'G' ? RTLD_GLOBAL : 0));
		if (!handle) { puts(dlerror()); return 1; }
		if (!use) use = (int (*)(void))dlsym(handle, "use");
	}
	if (!dl_iterate_phdr(see, NULL)) use = NULL;
	if (fork() == 0) { fclose(stderr); _exit(use ? use() : 0); }
	wait(&status);
	for (ElfW(Dyn) *d = _DYNAMIC; getenv("BREAK") && d->d_tag; d++)
		if (d->d_tag == DT_DEBUG) d->d_un.d_ptr = 1;
	(void)!write(1, WIFEXITED(status) && WEXITSTATUS(status) == 7 ? "+" : "-", 1);
	pause();
	return 0;
}
"""


@case
def a_process_sees_of_what_it_opened_locally_what_its_loader_sees(world):
    """Each row: what is opened how (G: RTLD_GLOBAL, L: RTLD_LOCAL, M: in a namespace of its own), and which libraries are seen by whom."""
    user = world.library("libuser.so", "int provided(void);\nint use(void) { return provided(); }\n", "-Wl,-z,lazy", "-Wl,--unresolved-symbols=ignore-all")
    provider = world.library("libprovider.so", "int provided(void) { return 7; }\n")
    both = world.library("libboth.so", "int provided(void);\nint also(void) { return provided(); }\n", user, provider, "-Wl,-rpath,$ORIGIN")
    program = world.cc("program", OPENING, "-ldl", "-Wl,-z,norelro")
    seen = set()
    for opened, scopes in (((("L", user), ("L", provider)), ("local", "local")), ((("L", user), ("G", provider)), ("local", "global")),
                           ((("G", provider), ("L", user)), ("local", "global")), ((("L", both), ("L", user)), ("local", "local")),
                           ((("L", user), ("G", both)), ("global", "global")), ((("G", user), ("L", both)), ("global", "local")),
                           ((("L", user), ("L", both)), ("local", "local")), ((("L", user), ("M", provider)), ("local", "other"))):
        with subprocess.Popen([program, *(word for pair in opened for word in pair)], stdout=subprocess.PIPE) as process:
            try:
                works = process.stdout.read(1)
                check(works in (b"+", b"-"), "it runs")
                _, said = bare_scan(world, "--pid", str(process.pid))
                files = {os.path.basename(f["path"]): f for f in said["files"]}
                check((files["libuser.so"]["scope"], files["libprovider.so"]["scope"]) == scopes, f"{opened}: {[(n, f.get('scope')) for n, f in files.items()]}")
                check(files["program"]["scope"] == "global" and files["libc.so.6"]["scope"] in ("global", "other"), str(files["program"]))
                check(bool(codes(files["libuser.so"])) == (works == b"-"), f"{opened}: the loader says {works}, scan {files['libuser.so']['findings']}")
                check(not said["findings"], str(said["findings"]))
                seen.add(works)
                check(works == b"-" or "RTLD_LOCAL" in world.run("scan", "--pid", str(process.pid)).out or "local" not in scopes, "text")
            finally:
                process.kill()
    check(seen == {b"+", b"-"}, str(seen))
    with subprocess.Popen([program, "L", user, "L", provider], stdout=subprocess.PIPE, env={"BREAK": "1"}) as process:
        try:
            process.stdout.read(1)
            _, said = bare_scan(world, "--pid", str(process.pid))
            check([f["code"] for f in said["findings"]] == ["GW-180"], str(said["findings"]))
            check("scope" not in said["files"][0] and not any(codes(f) for f in said["files"]), "all is seen")
            world.run("scan", "--pid", str(process.pid))
        finally:
            process.kill()


@case
def a_process_is_scanned_as_it_is_mapped(world):
    good = versioned(world, "good/libthing.so.1", ["foo", "bar"])
    program = world.cc("program", "#include <unistd.h>\nint foo(void);\nint bar(void);\nint main(int c, char **v) { (void)v; if (c > 1) return bar(); "
                       "foo(); (void)!write(1, \"x\", 1); pause(); return 0; }\n", "-Wl,--no-as-needed", good, "-Wl,-z,lazy")
    old = versioned(world, "old/libthing.so.1", ["foo"])
    with subprocess.Popen([program], stdout=subprocess.PIPE, env={"LD_LIBRARY_PATH": world.path("old")}) as process:
        try:
            check(process.stdout.read(1) == b"x", "it runs")
            status, said = bare_scan(world, "--pid", str(process.pid))
            files = {f["path"]: f for f in said["files"]}
            check(status == 1 and said["files"][0]["path"] == program and old in files, str(list(files)))
            expect(files[program], "libthing.so.1", "found", old)
            check("bar" in only(files[program], "GW-112")["text"], str(files[program]))
        finally:
            process.kill()
    for arguments in (["--pid", "x"], ["--pid", "0"], ["--pid", "1", "/bin/ls"]):
        result = world.run("scan", *arguments)
        check(result.status == 2 and result.err.count("\n") == 1, str(result))


@case
def a_library_beside_is_a_warning(world):
    dep = world.answering("libs/libdep-1.so", "x")
    user = world.library("libs/libuser.so", "const char *who(void);\nconst char *use(void) { return who(); }\n", dep)
    file = scanned(world, user)[0]
    expect(file, "libdep-1.so", "missing")
    check(codes(file) == ["GW-117"], str(file))


@case
def wrong_usage_gives_2(world):
    for arguments in ([], ["--nonsense", "x"], ["--python"]):
        result = world.run("scan", *arguments)
        check(result.status == 2 and result.err.count("\n") == 1 and not result.out, str(result))


@case
def a_file_that_is_not_there_or_is_no_file_is_an_error(world):
    result = world.run("scan", "nowhere", "empty")
    check(result.status == 3 and result.err ==
          "gangway: nowhere: No such file or directory\ngangway: empty: is no regular file\n", str(result))


if __name__ == "__main__":
    main()
