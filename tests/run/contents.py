# SPDX-License-Identifier: Apache-2.0
"""`gangway scan`: what files open by themselves, contain, and hold for GPUs; with files made for it, byte by byte where that matters."""
import json
import os
import struct

from harness import case, check, main, registry

NEW = "libcublas.so.13"
PTX, KERNELS, LINKER = 1, 2, 8
EXACT, FAMILY, ZSTD = 0x100000, 0x200000, 0x8000


def scanned(world, *arguments, status=0, env=None):
    result = world.run("scan", "--json", *arguments, env=env)
    check(result.status == status, f"expected status {status}\n{result}")
    out = json.loads(result.out)
    for finding in [f for file in out["files"] for f in file["findings"]] + out["findings"]:
        registry.check("    {code} {severity}: {text}: {remedy}".format(**finding))
    return out["files"]


def codes(file):
    return [finding["code"] for finding in file["findings"]]


def opened(file):
    return {n["soname"]: n for n in file["needs"] if "opened" in n}


def entry(kind, arch, flags=0, version=(0, 0), code=b"code", header=64):
    body = code + b"\0" * (-len(code) % 8)
    head = struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, header, len(body), len(code), 0, version[1], version[0], arch, 0, 0, 0x11 | ZSTD | flags, 0, 999)
    return head + b"\0" * (header - 64) + body


def fatbin(*entries):
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def holding(world, name, *containers, strings=()):
    """A library with these bytes where nvcc puts its fat binaries, and these strings."""
    with open(world.path("fatbin"), "wb") as file:
        file.write(b"".join(containers))
    text = "".join(f"const char text{i}[] = {json.dumps(s)};\n" for i, s in enumerate(strings))
    return world.library(name, f'__asm__(".section .nv_fatbin,\\"a\\"\\n.balign 8\\n.incbin \\"{world.path("fatbin")}\\"\\n.text\\n");\n{text}', "-nostdlib")


@case
def code_for_gpus_is_listed_by_architecture_and_version(world):
    path = holding(world, "libcode.so", fatbin(entry(KERNELS, 80), entry(KERNELS, 90, EXACT), entry(PTX, 90, version=(8, 2), header=80)),
                   b"\0" * 8, fatbin(entry(KERNELS, 80), entry(KERNELS, 100, FAMILY, header=112), entry(LINKER, 75)))
    file = scanned(world, path)[0]
    check(file["gpu"] == {"kernels": ["sm_80", "sm_90a", "sm_100f"], "ptx": [{"version": "8.2", "target": "sm_90", "cuda": "12.2"}], "modules": 2,
                          "incomplete": None}, str(file["gpu"]))
    built = [b for b in file["built_for"] if b["family"] == "cuda"]
    check(built == [{"family": "cuda", "min": "12.2", "max": "12.2", "evidence": "PTX 8.2 for sm_90; kernels for sm_80, sm_90a, sm_100f"}], str(built))
    check(scanned(world, world.library("libnone.so", "int none;\n"))[0]["gpu"] is None, "a library without code for GPUs")


@case
def a_gpu_that_there_is_nothing_for_is_an_error_and_one_that_something_fits_is_not(world):
    """Each row: what the file has, and the GPUs that can use it, of those below."""
    gpus = ("7.5", "8.0", "8.6", "9.0", "10.0", "10.3", "12.0")
    for name, entries, fit in (("kernels of one minor number serve later ones", [entry(KERNELS, 80)], ("8.0", "8.6")),
                               ("but not earlier ones", [entry(KERNELS, 86)], ("8.6",)),
                               ("a serves its own architecture", [entry(KERNELS, 90, EXACT)], ("9.0",)),
                               ("f serves its family", [entry(KERNELS, 100, FAMILY)], ("10.0", "10.3")),
                               ("PTX serves all that came later", [entry(PTX, 86, version=(7, 1))], ("8.6", "9.0", "10.0", "10.3", "12.0")),
                               ("PTX of a serves its own", [entry(PTX, 90, EXACT, (8, 0))], ("9.0",)),
                               ("what the linker would need serves none", [entry(LINKER, 80)], gpus)):
        path = holding(world, "libcode.so", fatbin(*entries))
        for gpu in gpus:
            file = scanned(world, "--gpu", gpu, path, status=0 if gpu in fit else 1)[0]
            check(codes(file) == ([] if gpu in fit else ["GW-152"]), f"{name}: {gpu}: {file['findings']}")


@case
def ptx_that_is_newer_than_the_driver_is_told_with_both_numbers(world):
    only, both = fatbin(entry(PTX, 80, version=(8, 5))), fatbin(entry(KERNELS, 80), entry(PTX, 80, version=(8, 5)))
    for content, options, code in ((only, ("--driver", "535.104.05"), "GW-150"), (only, ("--driver", "555.42.02"), None),
                                   (both, ("--driver", "535.104.05"), "GW-151"), (both, ("--driver", "535.104.05", "--gpu", "sm_80"), None),
                                   (both, ("--driver", "535.104.05", "--gpu", "9.0"), "GW-150"), (both, ("--gpu", "9.0"), None),
                                   (fatbin(entry(PTX, 80, version=(8, 5)), entry(PTX, 70, version=(7, 0))),
                                    ("--driver", "535.104.05", "--gpu", "9.0"), None)):
        path = holding(world, "libcode.so", content)
        file = scanned(world, *options, path, status=int(code == "GW-150"))[0]
        check(codes(file) == ([code] if code else []), f"{options}: {file['findings']}")
        for word in ("8.5", "8.2", "535.104.05", "12.5", "12.2") if code else ():
            check(word in file["findings"][0]["text"], str(file["findings"]))
        check(not code or "555.42.02" in file["findings"][0]["remedy"], str(file["findings"]))


@case
def driver_and_gpu_are_those_below_the_root(world):
    holding(world, "root/libcode.so", fatbin(entry(PTX, 80, version=(8, 5))))
    os.makedirs(world.path("root/lib/x86_64-linux-gnu"))
    world.library("root/lib/x86_64-linux-gnu/libcuda.so.470.57.02", "int cuda;\n", "-Wl,-soname,libcuda.so.1", "-nostdlib")
    os.symlink("libcuda.so.470.57.02", world.path("root/lib/x86_64-linux-gnu/libcuda.so.1"))
    file = scanned(world, "--root", world.path("root"), "/libcode.so", status=1)[0]
    check("470.57.02 (/lib/x86_64-linux-gnu/libcuda.so.470.57.02)" in file["findings"][0]["text"], str(file["findings"]))
    os.remove(world.path("root/lib/x86_64-linux-gnu/libcuda.so.1"))
    world.write("root/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n")
    world.write("root/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   1\n")
    text = scanned(world, "--root", world.path("root"), "/libcode.so", status=1)[0]["findings"][0]["text"]
    check("535.104.05 (/proc/driver/nvidia/version)" in text and "sm_90 has nothing else" in text, text)


@case
def broken_fat_binaries_are_read_as_far_as_they_go(world):
    good = fatbin(entry(KERNELS, 80))
    for name, content in (("cut in a container", good[:-8]), ("zeros, as in a copy with holes", good + b"\0" * 9000),
                          ("an entry that is longer than its container", fatbin(entry(KERNELS, 80), struct.pack("<HHIQ", 2, 0, 64, 1 << 60) + b"\0" * 48)),
                          ("a header without length", fatbin(entry(KERNELS, 80), struct.pack("<HHIQ", 2, 0, 0, 0) + b"\0" * 48)),
                          ("a container that is longer than the file", good + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, (1 << 64) - 1)),
                          ("a header that is longer than the file", good + struct.pack("<IHHQ", 0xBA55ED50, 1, 0xffff, 8))):
        file = scanned(world, "--gpu", "sm_90", holding(world, "libcode.so", content))[0]
        check(file["gpu"]["incomplete"] and not codes(file), f"{name}: {file['gpu']} {file['findings']}")


@case
def ptx_as_text_is_found(world):
    text = "//\n// Generated by NVIDIA NVVM Compiler\n//\n\n.version 8.5\n.target sm_90a\n.address_size 64\n"
    path = world.library("libtext.so", f"const char text[] = {json.dumps(text)};\nconst char not_one[] = \".version 9.9\\n of the program\";\n")
    file = scanned(world, "--driver", "535.104.05", path)[0]
    check(file["gpu"]["ptx"] == [{"version": "8.5", "target": "sm_90a", "cuda": "12.5", "text": True}], str(file["gpu"]))
    check(codes(file) == ["GW-151"], str(file["findings"]))


@case
def wrong_gpus_and_drivers_are_one_clear_error(world):
    for option, value in (("--gpu", "hopper"), ("--gpu", ""), ("--gpu", "sm_9000"), ("--gpu", "9.00"),
                          ("--driver", "new"), ("--driver", "1.2.3.4.5"), ("--driver", "")):
        result = world.run("scan", option, value, "/bin/ls")
        check(result.status == 2 and result.out == "" and result.err.count("\n") == 1, str(result))
        check(result.err.startswith(f"gangway: {option} {value}: is no"), str(result))


@case
def whole_strings_that_are_names_are_opened_by_the_files_own_runpath(world):
    world.answering("own/libnvrtc.so.12", "own")
    source = ('const char name[] = "libnvrtc.so.12", message[] = "cannot open libcublas.so.12", other[] = "libcudnn.so.8: no";\n'
              'const char stranger[] = "libfoo.so.3", driver[] = "libcuda.so.1";\n')
    path = world.library("libopens.so", source, "-Wl,-rpath,$ORIGIN/own", "-Wl,--enable-new-dtags")
    file = scanned(world, path)[0]
    found = opened(file)
    check(set(found) == {"libnvrtc.so.12", "libcuda.so.1"}, str(found))
    check(found["libnvrtc.so.12"]["status"] == "found" and os.path.samefile(found["libnvrtc.so.12"]["path"], world.path("own/libnvrtc.so.12")), str(found))
    check(found["libnvrtc.so.12"]["opened"] == "strings" and found["libnvrtc.so.12"]["rule"] == "RUNPATH", str(found))
    check(found["libnvrtc.so.12"]["family"] == "nvrtc" and found["libcuda.so.1"]["family"] == "driver" and not codes(file), str(file))


@case
def of_several_versions_of_one_library_one_is_enough(world):
    world.library("root/libopens.so", 'const char a[] = "libnvrtc.so.12", b[] = "libnvrtc.so.11.2", c[] = "libcusolver.so.";\n', "-nostdlib")
    inside = ("--root", world.path("root"), "/libopens.so")
    file = scanned(world, *inside)[0]
    check(codes(file) == ["GW-141", "GW-141"] and "any of libnvrtc.so.12, libnvrtc.so.11.2" in file["findings"][0]["text"], str(file["findings"]))
    check(sum(n.startswith("libcusolver") for n in opened(file)) == 1, "a name that is put together has one entry")
    for place in ("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2", "there/libnvrtc.so.11.2", "there/libcusolver.so.11"):
        world.library("root/" + place, "int x;\n", "-nostdlib")
    file = scanned(world, "--python", "/site", *inside)[0]
    check(codes(file) == ["GW-143", "GW-141"] and opened(file)["libnvrtc.so.11.2"]["through"] == "python", str(file))
    file = scanned(world, "--library-path", "/there", *inside)[0]
    check(not codes(file) and opened(file)["libcusolver.so.11"]["status"] == "found", str(file))


@case
def what_is_opened_may_be_a_facade(world):
    path = world.library("libopens.so", 'const char a[] = "libcublas.so.11";\n')
    world.facade("libcublas.so.11")
    target = world.answering("target/" + NEW, "target")
    file = scanned(world, path, env={"GANGWAY_CUBLAS": world.path("target")})[0]
    check(codes(file) == ["GW-142"] and opened(file)["libcublas.so.11"]["path"] == target, str(file))
    file = scanned(world, path, env={"GANGWAY_CUBLAS": world.path("empty")})[0]
    check(codes(file) == ["GW-141"] and "nothing to forward to" in file["findings"][0]["text"], str(file))


@case
def a_version_that_is_needed_without_its_library_is_among_the_needs(world):
    script = world.write("map", "libcublas.so.11 { global: *; };\n")
    world.library("build/libcublas.so.11", "void cublasCreate_v2(void) {}\n", "-Wl,--version-script=" + script)
    path = world.library("libuser.so", "void cublasCreate_v2(void);\nvoid f(void) { cublasCreate_v2(); }\n", world.path("build/libcublas.so.11"))
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        offset, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, _, at, _, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
            for position in range(at, at + length, 16) if kind == 2 else ():
                if struct.unpack_from("<Q", data, position)[0] == 1:                     # DT_NEEDED
                    struct.pack_into("<Q", data, position, 21)                          # DT_DEBUG, which nobody reads
                    break
        file.seek(0)
        file.write(data)
    for options, status in ((("--library-path", world.path("build")), "found"), (("--python", "empty"), "missing")):
        file = scanned(world, *options, path, status=1)[0]
        entry_of = opened(file).get("libcublas.so.11")
        check(entry_of and entry_of["opened"] == "version" and (entry_of["status"] == status or status == "missing"), str(file))
        check("GW-114" in codes(file), str(file["findings"]))


@case
def a_front_of_cudnn_that_is_needed_needs_its_parts(world):
    front = world.library("root/lib/x86_64-linux-gnu/libcudnn.so.9", 'const char a[] = "libcudnn_ops.so";\n', "-nostdlib")
    world.library("root/libuser.so", "int user;\n", "-nostdlib", front)
    inside = ("--root", world.path("root"), "/libuser.so")
    file = scanned(world, *inside, status=1)[0]
    lost = opened(file)["libcudnn_ops.so.9"]
    check(lost["status"] == "missing" and lost["by"].endswith("libcudnn.so.9") and codes(file) == ["GW-140"], str(file))
    world.library("root/parts/libcudnn_ops.so.9", "int part;\n", "-nostdlib")
    file = scanned(world, "--library-path", "/parts", *inside)[0]
    check(not opened(file) and not codes(file), str(file))


@case
def a_static_copy_is_known_by_its_text_and_stubs_by_their_names(world):
    path = world.library("libstatic.so", 'const char a[] = "CUBLAS_LOGINFO_DBG", b[] = "CUDA driver version is insufficient for CUDA runtime version";\n')
    file = scanned(world, path)[0]
    check([s["family"] for s in file["static"]] == ["cublas", "cudart"] and codes(file) == ["GW-147"], str(file))
    path = world.library("libstubs.so", "".join(f"void {name}(void) {{}}\n" for name in ("cudnnCreate", "cudnnDestroy", "cudnnGetVersion", "cudnnSetStream")))
    file = scanned(world, path)[0]
    check(file["exports"] == {"cudnn": 4} and codes(file) == ["GW-148"], str(file))
    text = world.run("scan", path).out
    check("exports 4 functions of cudnn, and is not its library" in text, text)


@case
def an_older_copy_than_a_package_asks_for_is_an_error_where_it_is_refused(world):
    """Each row: the release that the package asks for (none: nobody says), the one that is there, and what is told of it."""
    world.write("site/app-1.0.dist-info/RECORD", "app/libapp.so,,\n")
    for soname, asks, has, told in (("libcudnn.so.8", "8.7.0.84", "8.6.0", ["GW-145"]), ("libcudnn.so.8", "8.9.4.25", "8.9.2", ["GW-153"]),
                                    ("libcudnn.so.8", "8.7.0.84", "8.7.0", []), ("libcudnn.so.8", "8.7.0.84", "8.9.7", []),
                                    ("libcudnn.so.8", None, "8.1.1", []), ("libcublas.so.12", "12.4.5.8", "12.1.3.1", ["GW-153"]),
                                    ("libcublas.so.12", "12.4.5.8", "12.4.5.8", [])):
        stem, package = soname.split(".")[0], "nvidia-cudnn-cu12" if "cudnn" in soname else "nvidia-cublas-cu12"
        file = world.library(f"lib-{asks}-{has}/{stem}.so.{has}", 'const char *who(void) { return "it"; }\n', "-Wl,-soname," + soname)
        os.symlink(os.path.basename(file), os.path.join(os.path.dirname(file), soname))
        world.write("site/app-1.0.dist-info/METADATA", f"Name: app\nRequires-Dist: {package} (=={asks})\n" if asks else "Name: app\n")
        app = world.library("site/app/libapp.so", "const char *who(void);\nconst char *app(void) { return who(); }\n", file)
        found = scanned(world, "--library-path", os.path.dirname(file), app, status=int("GW-145" in told))[0]
        check([c for c in codes(found) if c in ("GW-145", "GW-153")] == told, f"{soname} {asks} {has}: {found['findings']}")


@case
def lists_that_cannot_be_read_are_one_complaint_and_the_rest_goes_on(world):
    path = world.library("libopens.so", 'const char a[] = "libnvrtc.so.12";\n')
    for line, number in (("library libx", 1), ("# a comment\nnonsense here now", 2)):
        world.write("prefix/share/gangway/libraries", line + "\n")
        result = world.run("scan", "--json", path)
        check(result.status == 0 and f"libraries:{number}: no such line" in result.err and result.err.count("\n") == 1, str(result))
        check(json.loads(result.out)["files"][0]["path"] == path, str(result))


main()
