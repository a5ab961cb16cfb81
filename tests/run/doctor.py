# SPDX-License-Identifier: Apache-2.0
"""`gangway doctor`: in prepared file systems it names the faults that are there, and no others."""
import base64
import hashlib
import json
import os
import random
import resource
import shutil
import struct
import subprocess

from harness import case, check, main, registry

SITE, SYSTEM, CONDA = "/usr/local/lib/python3.11/dist-packages", "/usr/lib/x86_64-linux-gnu", "/opt/conda"
PARTS = ["libcudnn.so.8", *(f"libcudnn_{part}_{kind}.so.8" for part in ("adv", "cnn", "ops") for kind in ("infer", "train"))]
BLAS = ["libcublas.so.12", "libcublasLt.so.12"]


class Root:
    """A file system with nothing in it."""

    def __init__(self, world):
        self.world, self.built = world, {}
        self.path = world.path("root")
        shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(self.path)

    def host(self, path):
        return self.path + path

    def write(self, path, content):
        os.makedirs(os.path.dirname(self.host(path)), exist_ok=True)
        with open(self.host(path), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def link(self, path, target):
        os.makedirs(os.path.dirname(self.host(path)), exist_ok=True)
        if os.path.lexists(self.host(path)):
            os.remove(self.host(path))
        os.symlink(target, self.host(path))

    def library(self, soname, mark):
        """The bytes of a library; those of two marks differ, and have one size."""
        if (soname, mark) not in self.built:
            made = self.world.cc("made", f'const char mark[16] = "{mark}";\n', "-shared", "-fPIC", "-nostdlib", "-Wl,-soname," + soname)
            with open(made, "rb") as file:
                self.built[soname, mark] = file.read()
        return self.built[soname, mark]

    def wheel(self, name, version, folder, sonames, site=SITE):
        info, record = f"{name.replace('-', '_')}-{version}.dist-info", []
        files = {f"{folder}/{soname}": self.library(soname, version) for soname in sonames}
        files[f"{info}/METADATA"] = f"Name: {name}\nVersion: {version}\n".encode()
        for path, content in files.items():
            self.write(f"{site}/{path}", content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record.append(f"{path},sha256={digest},{len(content)}\n")
        self.write(f"{site}/{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
        return f"{site}/{info}/RECORD"

    def linked(self, path, needs, rpath=None):
        """A library that needs others, of which nothing but their names is known."""
        flags = []
        for soname in needs:
            self.world.cc("empty/" + soname, "", "-shared", "-fPIC", "-nostdlib", "-x", "none", "-Wl,-soname," + soname)
            flags.append(self.world.path("empty/" + soname))
        made = self.world.cc("made", "", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname," + os.path.basename(path), "-Wl,--no-as-needed", *flags,
                             *([f"-Wl,-rpath,{rpath},--disable-new-dtags"] if rpath else []))
        with open(made, "rb") as file:
            self.write(path, file.read())

    def metadata(self, name, version, *requires, site=SITE):
        info = f"{site}/{name.replace('-', '_')}-{version}.dist-info"
        self.write(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {one}\n" for one in requires))

    def versioned(self, directory, soname, release, link=None):
        """As packages and toolkits have them: libx.so.8 -> libx.so.8.6.0."""
        name = soname[:soname.index(".so.")] + ".so." + release
        self.write(f"{directory}/{name}", self.library(soname, release))
        self.link(f"{directory}/{soname}", link or name)
        return f"{directory}/{name}"

    def toolkit(self, release, blas, headers=None):
        home = "/usr/local/cuda-" + ".".join(release.split(".")[:2])
        for soname in BLAS:
            self.versioned(home + "/targets/x86_64-linux/lib", soname, blas)
        self.versioned(home + "/targets/x86_64-linux/lib", "libcudart.so.12", release)
        self.link(home + "/lib64", "targets/x86_64-linux/lib")
        self.write(home + "/bin/nvcc", "")
        self.write(home + "/version.json", json.dumps({"cuda": {"name": "CUDA SDK", "version": release}}))
        words = zip(("MAJOR", "MINOR", "PATCH", "BUILD"), (headers or blas).split("."))
        self.write(home + "/targets/x86_64-linux/include/cublas_api.h", "".join(f"#define CUBLAS_VER_{word} {value}\n" for word, value in words))
        return home

    def module(self, release):
        self.write("/proc/driver/nvidia/version", f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {release}  Thu Feb 22 01:44:30 UTC 2024\n"
                                                  "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n")

    def driver(self, release, directory=SYSTEM):
        self.versioned(directory, "libcuda.so.1", release)

    def cache(self, *paths):
        strings, entries = b"", []
        start = 48 + 24 * len(paths)
        for path in paths:
            entries.append(struct.pack("<iIIIQ", 0x303, start + len(strings), start + len(strings) + len(os.path.basename(path)) + 1, 0, 0))
            strings += os.path.basename(path).encode() + b"\0" + path.encode() + b"\0"
        self.write("/etc/ld.so.cache", struct.pack("<20sIIB3xI12x", b"glibc-ld.so.cache1.1", len(paths), len(strings), 0, 0) + b"".join(entries) + strings)

    def run(self, *arguments, **more):
        return self.world.run("doctor", "--root", self.path, *arguments, **more)

    def examine(self, *expected, library_path=None):
        """Expects findings of exactly these codes, in this order. The report, and the findings' texts."""
        result = self.run("--json", *(["--library-path", library_path] if library_path else []))
        check(result.status in (0, 1) and not result.err, str(result))
        report = json.loads(result.out)
        for finding in report["findings"]:
            registry.check("    {code} {severity}: {text}: {remedy}".format(**finding))
        check([finding["code"] for finding in report["findings"]] == list(expected), json.dumps(report["findings"], indent=1))
        check(result.status == any(finding["severity"] == "error" for finding in report["findings"]), str(result))
        check(self.path not in result.out.replace(f'"root": "{self.path}"', ""), result.out)
        return report, [finding["text"] for finding in report["findings"]]


def copy_of(report, path):
    found = [copy for copy in report["copies"] if copy["path"] == path]
    check(len(found) == 1, f"{path}: {json.dumps(report['copies'], indent=1)}")
    return found[0]


def holds(text, *words):
    for word in words:
        check(word in text, f"{word!r} is not in {text!r}")


def clean(world):
    root = Root(world)
    root.module("550.54.14")
    root.driver("550.54.14")
    root.wheel("nvidia-cublas-cu12", "12.4.5.8", "nvidia/cublas/lib", BLAS)
    root.wheel("nvidia-cuda-runtime-cu12", "12.4.127", "nvidia/cuda_runtime/lib", ["libcudart.so.12"])
    root.record = root.wheel("nvidia-cudnn-cu12", "8.9.2.26", "nvidia/cudnn/lib", PARTS)
    return root


@case
def a_clean_pip_environment_has_no_finding_and_all_is_told_of_it(world):
    root = clean(world)
    report, _ = root.examine()
    check(report["driver"]["module"] == {"version": "550.54.14", "from": "/proc/driver/nvidia/version"}, str(report["driver"]))
    libcuda = report["driver"]["libcuda"]
    check((libcuda["kind"], libcuda["version"], libcuda["real"]) == ("real", "550.54.14", f"{SYSTEM}/libcuda.so.550.54.14"), str(libcuda))
    copy = copy_of(report, f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8")
    check((copy["family"], copy["release"], copy["release_by"], copy["origin"], copy["wins"]) ==
          ("cudnn", "8.9.2.26", "wheel", "pip nvidia-cudnn-cu12 8.9.2.26", False), str(copy))
    rows = {row["what"]: row for row in report["versions"]}
    check(rows["driver's maximum"]["version"] == "12.4" and rows["runtime library"]["version"] == "12.4.127", str(rows))
    text = root.run()
    check(text.status == 0 and text.out.startswith("What is wrong\n    nothing was found\n") and "550.54.14" in text.out, str(text))


@case
def two_toolkits_and_a_library_path_that_leads_to_the_other_one(world):
    root = Root(world)
    old, new = root.toolkit("12.1.1", "12.1.3.1"), root.toolkit("12.4.1", "12.4.5.8")
    root.link("/usr/local/cuda", new)     # an absolute link is followed inside the root
    report, _ = root.examine(library_path="/usr/local/cuda/lib64")
    check([(t["path"], t["release"], t["current"], t["nvcc"]) for t in report["toolkits"]] == [(new, "12.4.1", True, True), (old, "12.1.1", False, True)],
          str(report["toolkits"]))
    _, (text,) = root.examine("GW-126", library_path=old + "/lib64")
    holds(text, "libcublas.so.12 (and 2 more)", "release 12.1.3.1, found by LD_LIBRARY_PATH", f"/usr/local/cuda is {new}, with release 12.4.5.8")
    root.toolkit("12.4.1", "12.4.5.8", headers="12.1.3.1")
    _, (text,) = root.examine("GW-124", library_path="/usr/local/cuda/lib64")
    holds(text, "are of cublas 12.1.3.1, and it is of 12.4.5.8", new)
    root.toolkit("12.4.1", "12.4.5.8")
    root.versioned(new + "/lib64", "libcublasLt.so.12", "12.1.3.1")
    _, (text,) = root.examine("GW-123", library_path="/usr/local/cuda/lib64")
    holds(text, "libcublas.so.12 is of release 12.4.5.8, and libcublasLt.so.12 beside it of 12.1.3.1")


@case
def a_stub_of_libcuda_is_a_fault_where_the_loader_would_take_it(world):
    root = Root(world)
    stubs = root.toolkit("12.4.1", "12.4.5.8") + "/lib64/stubs"
    root.driver("550.54.14")
    root.write(stubs + "/libcuda.so", root.library("libcuda.so.1", "stub"))
    root.examine(library_path=stubs)      # its name is not that which programs need
    root.link(stubs + "/libcuda.so.1", "libcuda.so")
    root.examine()
    report, (text,) = root.examine("GW-127", library_path=stubs)
    holds(text, "found by LD_LIBRARY_PATH", stubs)
    check(report["driver"]["libcuda"]["kind"] == "stub", str(report["driver"]))


@case
def pip_and_system_cudnn_of_other_releases(world):
    root = clean(world)
    files = [root.versioned(SYSTEM, soname, "8.6.0") for soname in PARTS]
    root.write("/var/lib/dpkg/info/libcudnn8:amd64.list", "/.\n/usr\n" + "".join(file + "\n" for file in files))
    root.cache(*(f"{SYSTEM}/{soname}" for soname in PARTS))
    report, (text,) = root.examine("GW-125")
    holds(text, "libcudnn.so.8 (and 6 more)", f"{SYSTEM}/libcudnn.so.8, release 8.6.0, found by the loader's cache", "release 8.9.2.26")
    copy = copy_of(report, f"{SYSTEM}/libcudnn.so.8")
    check((copy["origin"], copy["release_by"], copy["wins"]) == ("Debian libcudnn8", "file name", True), str(copy))
    _, (text,) = root.examine("GW-125", library_path=f"{SITE}/nvidia/cublas/lib")
    root.examine(library_path=f"{SITE}/nvidia/cudnn/lib")
    for soname in PARTS:                  # of one release, it does not matter which is taken
        os.remove(root.host(f"{SYSTEM}/{soname[:-1]}8.6.0"))
        root.versioned(SYSTEM, soname, "8.9.2")
    root.examine()
    root.versioned(SYSTEM, "libcudnn_ops_infer.so.8", "8.6.0")
    _, texts = root.examine("GW-121", "GW-125")
    holds(texts[0], "libcudnn.so.8 is of cuDNN 8.9.2, and libcudnn_ops_infer.so.8 beside it of 8.6.0")
    root.versioned(SYSTEM, "libcudnn_ops_infer.so.8", "8.9.2")
    os.remove(root.host(f"{SYSTEM}/libcudnn_cnn_train.so.8"))
    _, (text,) = root.examine("GW-122")
    holds(text, "lacks beside it: libcudnn_cnn_train.so.8")


@case
def a_conda_environment_and_a_library_path_that_beats_it(world):
    root = Root(world)
    files = [root.versioned(CONDA + "/lib", soname, "12.4.5.8")[len(CONDA) + 1:] for soname in BLAS]
    root.write(CONDA + "/conda-meta/libcublas-12.4.5.8-0.json", json.dumps({"name": "libcublas", "version": "12.4.5.8", "files": files}))
    os.makedirs(root.host(CONDA + "/lib/python3.11/site-packages"))
    report, _ = root.examine()
    check(copy_of(report, CONDA + "/lib/libcublas.so.12")["origin"] == "conda libcublas 12.4.5.8", str(report))
    bare = "/root/miniconda3/envs/bare"   # one without a Python
    file = root.versioned(bare + "/lib", "libcublas.so.12", "12.4.5.8")
    root.write(bare + "/conda-meta/libcublas-12.4.5.8-0.json", json.dumps({"name": "libcublas", "version": "12.4.5.8", "files": [file[len(bare) + 1:]]}))
    report, _ = root.examine()
    check(copy_of(report, bare + "/lib/libcublas.so.12")["origin"] == "conda libcublas 12.4.5.8", str(report["copies"]))
    shutil.rmtree(root.host("/root"))
    old = root.toolkit("12.1.1", "12.1.3.1")
    root.examine()
    _, (text,) = root.examine("GW-125", library_path=old + "/lib64")
    holds(text, "libcublas.so.12 (and 1 more)", "release 12.1.3.1, found by LD_LIBRARY_PATH", CONDA + "/lib/libcublas.so.12, release 12.4.5.8")
    record = CONDA + "/conda-meta/libcublas-12.4.5.8-0.json"
    root.write(record, '{"name": "libcublas",\n"files": ["lib/libcublas.so.12"')
    _, (text,) = root.examine("GW-129")
    holds(text, record + ":2: ")


@case
def a_container_with_compat_libraries(world):
    root = Root(world)
    compat = root.toolkit("12.4.1", "12.4.5.8") + "/compat"
    root.module("535.104.05")
    root.driver("535.104.05")
    root.driver("550.54.14", compat)
    root.cache(compat + "/libcuda.so.1", SYSTEM + "/libcuda.so.1")
    report, _ = root.examine()
    libcuda = report["driver"]["libcuda"]
    check((libcuda["kind"], libcuda["version"], report["driver"]["maximum_cuda"]) == ("compat", "550.54.14", "12.4"), str(report["driver"]))
    root.module("570.86.10")              # the machine's driver is newer than the package
    _, (text,) = root.examine("GW-162")
    holds(text, compat + "/libcuda.so.1 of driver 550.54.14", "of driver 570.86.10")
    root.cache(SYSTEM + "/libcuda.so.1", compat + "/libcuda.so.1")
    _, (text,) = root.examine("GW-128")
    holds(text, SYSTEM, "of driver 535.104.05", "570.86.10")
    root.module("535.104.05")
    root.examine()


@case
def an_overwritten_wheel_and_the_package_that_did_it(world):
    root = clean(world)
    other = root.wheel("nvidia-cudnn-cu11", "8.6.0.163", "nvidia/cudnn/lib", PARTS)
    report, (text,) = root.examine("GW-120")
    holds(text, "is not as nvidia-cudnn-cu12 8.9.2.26 installed it", root.record + ":", "other contents of the same size",
          "nvidia-cudnn-cu11 8.6.0.163 installed it as it is", "so do 6 more")
    copy = copy_of(report, f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8")
    check((copy["release"], copy["origin"]) == ("8.6.0.163", "pip nvidia-cudnn-cu11 8.6.0.163"), str(copy))
    os.remove(root.host(other))           # as if it had been copied there by hand
    report, (text,) = root.examine("GW-120")
    check("cu11" not in text and copy_of(report, copy["path"])["origin"] == "pip nvidia-cudnn-cu12 8.9.2.26, changed", text)
    for damage, said in ((lambda file: os.truncate(file, os.path.getsize(file) + 1), "bytes, not "), (os.remove, "it is not there")):
        root = clean(world)
        damage(root.host(f"{SITE}/nvidia/cublas/lib/libcublasLt.so.12"))
        _, (text,) = root.examine("GW-120")
        holds(text, "libcublasLt.so.12 is not as nvidia-cublas-cu12 12.4.5.8 installed it", said)


@case
def a_library_that_another_package_bundles_is_compared_and_listed_by_its_own_name(world):
    root = clean(world)
    root.wheel("torch", "2.3.0+cu121", "torch.libs", ["libcudart-d0da41ae.so.12.1.105"])
    report, _ = root.examine()
    copy = copy_of(report, f"{SITE}/torch.libs/libcudart-d0da41ae.so.12.1.105")
    check((copy["family"], copy["release"], copy["origin"]) == ("cudart", "12.1.105", "pip torch 2.3.0+cu121"), str(copy))
    check(any(row["what"] == "built for" and row["version"] == "cu121" for row in report["versions"]), str(report["versions"]))


@case
def a_bundled_front_library_needs_its_parts_somewhere(world):
    root = Root(world)
    front, parts = "libcudnn-463fd6d5.so.8.9.7", [part.replace(".so.8", "-0123abcd.so.8.9.7") for part in PARTS[1:]]
    root.wheel("ctranslate2", "4.4.0", "ctranslate2.libs", [front])
    _, (text,) = root.examine("GW-122")
    holds(text, f"{SITE}/ctranslate2.libs/{front} lacks beside it: libcudnn_adv_infer.so.8, ", "libcudnn_ops_train.so.8")
    root.wheel("ctranslate2", "4.4.0", "ctranslate2.libs", [front, *parts])
    root.examine()
    root = Root(world)
    root.wheel("ctranslate2", "4.4.0", "ctranslate2.libs", [front])
    root.wheel("nvidia-cudnn-cu12", "8.9.7.29", "nvidia/cudnn/lib", PARTS)
    root.examine()


@case
def the_winner_is_the_file_that_the_loader_takes(world):
    root = clean(world)
    best = SYSTEM + "/glibc-hwcaps/x86-64-v2"
    for soname in BLAS:
        root.versioned(SYSTEM, soname, "12.4.5")
        root.versioned(best, soname, "12.1.3")
    report, (text,) = root.examine("GW-125")      # a subdirectory for better processors comes first
    holds(text, f"libcublas.so.12 (and 1 more) of an ordinary program is {best}/libcublas.so.12, release 12.1.3, found by the default directories")
    check(copy_of(report, f"{best}/libcublas.so.12")["wins"] and not copy_of(report, f"{SYSTEM}/libcublas.so.12")["wins"], str(report))
    shutil.rmtree(root.host(best))
    root.examine()
    root.write("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
    root.write("/etc/ld.so.conf.d/app.conf", "/srv/app\n")
    for soname in BLAS:
        root.versioned("/srv/app", soname, "12.1.3")
    _, (text,) = root.examine("GW-125")           # without a cache, what ldconfig would put into it
    holds(text, "is /srv/app/libcublas.so.12, release 12.1.3, found by the loader's cache")
    for odd in ("::/nowhere", ":", "$ORIGIN:/etc/ld.so.conf"):
        result = root.run("--json", "--library-path", odd)
        check(result.status == (3 if "/" in odd else 0), str(result))


@case
def a_damaged_file_is_one_finding_with_its_place(world):
    root = clean(world)
    with open(root.host(root.record), encoding="utf-8") as file:
        good = file.read()
    lines = good.splitlines()
    for content, place in (
            (good + "half\n", f":{len(lines) + 1}: is no"),
            (lines[0] + "\n" + lines[1].replace("sha256=", "sha256=!") + "\n", ":2: has a hash"),
            (lines[0].rsplit(",", 1)[0] + ",many\n", ":1: has a size"),
            ('"a' + "\n", ":1: is no"),
            (lines[0] + "\n" + "y" * 2000 + ",,\n", ":2: has a path"),
            (b"\0" * 100000, ":1: is too long"),
            ("x" * 100000, ":1: is too long")):
        root.write(root.record, content)
        _, (text,) = root.examine("GW-129")
        check(text.startswith(root.record + place), text)
    root.write(root.record, good)
    metadata = os.path.dirname(root.record) + "/METADATA"
    for content, place in (("Name: x\nno field\n", ":2: is no `Field: value`"), ("", ":1: names no package"), ("Name: x\n\nVersion: 1\n", ":1: names no version")):
        root.write(metadata, content)
        _, (text, _) = root.examine("GW-129", "GW-120")
        check(text.startswith(metadata + place), text)
    root = clean(world)
    os.remove(root.host(root.record))
    os.mkdir(root.host(root.record))
    _, (text,) = root.examine("GW-129")
    check(text == root.record + ": is no regular file", text)
    for path, content, said in (
            ("/etc/ld.so.cache", b"glibc-ld.so.cache1.1" + b"\xff" * 28, "/etc/ld.so.cache:0x"),
            ("/usr/local/cuda-12.4/version.json", '{\n"cuda": {', "/usr/local/cuda-12.4/version.json:2: "),
            ("/usr/local/cuda-12.4/version.json", b"[" * (2 << 20), "/usr/local/cuda-12.4/version.json: File too large"),
            (SYSTEM + "/libcufft.so.11", b"\x7fELF\2\1\1" + b"\0" * 40, SYSTEM + "/libcufft.so.11:0x0: "),
            ("/proc/driver/nvidia/version", "\xff\n", "/proc/driver/nvidia/version:1: ")):
        root = clean(world)
        os.makedirs(root.host("/usr/local/cuda-12.4/lib64"))
        root.write(path, content)
        _, (text,) = root.examine("GW-129")
        check(text.startswith(said), text)


@case
def hostile_sizes_cost_neither_time_nor_memory(world):
    root = clean(world)
    home = root.toolkit("12.4.1", "12.4.5.8")
    os.makedirs(root.host(CONDA + "/lib/python3.11/site-packages"))
    meta = CONDA + "/conda-meta/libcublas-12.json"
    places = [root.record, "/etc/ld.so.cache", home + "/version.json", home + "/include/cublas_api.h", "/var/lib/dpkg/info/libcublas.list",
              SYSTEM + "/libcufft.so.11", "/proc/driver/nvidia/version", meta]
    for path in places:
        root.write(path, b"")
        os.truncate(root.host(path), 1 << 40)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    result = root.run("--json")
    check(result.status == 1 and not result.err, str(result))
    said = [finding["text"] for finding in json.loads(result.out)["findings"] if finding["code"] == "GW-129"]
    for path in (root.record, "/etc/ld.so.cache", home + "/version.json", SYSTEM + "/libcufft.so.11", "/proc/driver/nvidia/version", meta):
        check(sum(text.startswith(path + ":") for text in said) == 1, f"{path}\n{said}")
    root.write(meta, '{"files": ["lib/libcublas.so.12"' + ",[]" * 2700000 + "]}")
    result = root.run("--json")
    check("libcublas-12.json:1: holds more than it can mean" in result.out, str(result))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    check(used.ru_utime - before < 20 and (used.ru_maxrss < 200 << 10 or "asan" in subprocess.run(
        ["ldd", world.gangway], capture_output=True, text=True, check=False).stdout), str(used))


@case
def any_damage_ends_in_a_report(world):
    root = clean(world)
    root.toolkit("12.4.1", "12.4.5.8")
    root.cache(SYSTEM + "/libcuda.so.1")
    victims = [root.record, "/etc/ld.so.cache", "/usr/local/cuda-12.4/version.json", f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8",
               "/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublas.so.12.4.5.8", "/proc/driver/nvidia/version", f"{SITE}/torch/lib/libtorch_cuda.so",
               f"{SITE}/torch/version.py", os.path.dirname(root.record) + "/METADATA", "/var/lib/dpkg/status", "/var/lib/dpkg/info/cublas.list", "/proc/self/mountinfo",
               "/proc/driver/nvidia/gpus/0000:01:00.0/information", "/opt/conda/conda-meta/libcublas.json"]
    root.linked(f"{SITE}/torch/lib/libtorch_cuda.so", ["libcublas.so.12", "libcudnn.so.8"], "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/cudnn/lib")
    root.write(f"{SITE}/torch/version.py", "cuda = '12.4'\n")
    root.write("/var/lib/dpkg/status", "Package: cublas\nStatus: install ok installed\nVersion: 12.4.5.8-1\nDescription: x\n y\n\nPackage: other\nVersion: 1\n")
    root.write("/var/lib/dpkg/info/cublas.list", "/.\n/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcublas.so.12.4.5.8\n")
    root.write("/proc/self/mountinfo", f"1 2 8:1 / {SYSTEM}/libcuda.so.550.54.14 ro - ext4 /dev/sda1 ro\n")
    root.write("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\n")
    root.write("/opt/conda/conda-meta/libcublas.json", json.dumps({"name": "libcublas", "version": "12.4.5.8", "files": ["lib/libcublas.so.12"]}))
    root.examine()
    chance = random.Random(6)
    for turn in range(len(victims) * 12):
        path = victims[turn % len(victims)]
        with open(root.host(path), "rb") as file:
            good = file.read()
        bad = bytearray(good[:chance.randrange(len(good))] if chance.random() < 0.3 else good)
        for _ in range(chance.randrange(1, 6) if bad else 0):
            bad[chance.randrange(min(len(bad), 4096))] = chance.choice((0, 0xff, 0x22, 0x2c, chance.randrange(256)))
        root.write(path, bytes(bad))
        result = root.run("--json")
        check(result.status in (0, 1) and json.loads(result.out)["copies"] and not result.err, f"{path}, turn {turn}\n{result}")
        root.write(path, good)
    root.examine()


@case
def a_framework_gets_what_its_own_paths_lead_to_in_the_order_in_which_it_opens(world):
    root = clean(world)
    lib = f"{SITE}/torch/lib"
    root.linked(lib + "/libtorch_global_deps.so", ["libcudart.so.12"], "$ORIGIN/../../nvidia/cuda_runtime/lib")
    root.linked(lib + "/libtorch_cuda.so", ["libcublas.so.12", "libcublasLt.so.12", "libcudnn.so.8"], "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/cudnn/lib")
    root.write(f"{SITE}/torch/version.py", "cuda: Optional[str] = '12.4'\n")
    root.metadata("torch", "2.4.1+cu124", "nvidia-cudnn-cu12==8.9.2.26 ; platform_system == 'Linux'")
    report, _ = root.examine()
    torch, = report["frameworks"]
    check((torch["name"], torch["version"], torch["built_for"]["cuda"], torch["built_for"]["cudnn"]) == ("torch", "2.4.1+cu124", "12.4", "8.9.2.26"), str(torch))
    uses = {use["soname"]: (use["path"], use["release"], use["found_by"], use["when"]) for use in torch["uses"]}
    check(uses["libcublas.so.12"] == (f"{SITE}/nvidia/cublas/lib/libcublas.so.12", "12.4.5.8", f"RPATH of {lib}/libtorch_cuda.so", "import"), str(uses))
    check(all(source.startswith("https://") for source in torch["sources"]) and torch["sources"] and not torch["preloads"], str(torch["sources"]))
    # Without paths of its own, it opens them by their names: and a copy that comes first by LD_LIBRARY_PATH is another one.
    root.linked(lib + "/libtorch_global_deps.so", ["libcudart.so.12", "libcublas.so.12"])
    root.linked(lib + "/libtorch_cuda.so", ["libcublas.so.12", "libcudnn.so.8"])
    report, _ = root.examine()
    torch, = report["frameworks"]
    check(torch["preloads"] and all(use["path"] for use in torch["uses"]), json.dumps(torch, indent=1))
    root.module("470.57.02")              # too old for 12.4: told once, of torch, not of its copies again
    root.driver("470.57.02")
    os.remove(root.host(f"{SYSTEM}/libcuda.so.550.54.14"))
    _, (text,) = root.examine("GW-160")
    holds(text, "torch, with ", "(and 1 more)", "runs CUDA 12.4, and the driver's maximum is 11.4 (driver 470.57.02")
    root.module("525.105.17")
    root.driver("525.105.17")
    report, (text,) = root.examine("GW-161")
    check(report["findings"][0]["severity"] == "note", str(report["findings"]))
    root.module("999.1")                  # newer than any that the table has
    root.driver("999.1")
    root.examine()
    with open(root.host(lib + "/libtorch_cuda.so"), "r+b") as file:
        whole = file.read()
        file.truncate(100)
    _, (text,) = root.examine("GW-129")   # a damaged file is told once
    holds(text, lib + "/libtorch_cuda.so:0x")
    root.write(lib + "/libtorch_cuda.so", whole)
    os.remove(root.host(f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8"))
    _, texts = root.examine("GW-120", "GW-165")
    holds(texts[1], f"torch of {SITE} would not find libcudnn.so.8, which {lib}/libtorch_cuda.so needs")


@case
def the_newest_cuda_of_a_driver_goes_by_its_branch(world):
    root = Root(world)
    for driver, cuda in (("550.40.07", "12.4"), ("550.163.01", "12.4"), ("565.57.01", "12.7"), ("580.159", "13.0"), ("535.183.06", "12.2"), ("450.57", "11.0"),
                         ("418.226.00", "10.1"), ("346.46", "7.0"), ("304.137", None), ("600.1", "13.2")):
        root.module(driver)
        shutil.rmtree(root.host(SYSTEM), ignore_errors=True)
        root.driver(driver)
        report, _ = root.examine()
        check(report["driver"]["maximum_cuda"] == cuda, f"{driver}: {report['driver']}")
        check(("which ends before it" in (report["driver"]["maximum_from"] or "")) == (driver == "600.1"), str(report["driver"]))


@case
def wsl_brings_its_own_driver(world):
    root = clean(world)
    shutil.rmtree(root.host("/proc"))
    root.write("/usr/lib/wsl/lib/libcuda.so.1", root.library("libcuda.so.1", "wsl"))
    root.cache("/usr/lib/wsl/lib/libcuda.so.1")
    report, _ = root.examine()
    check(report["driver"]["libcuda"]["kind"] == "wsl" and report["driver"]["maximum_cuda"] is None, str(report["driver"]))
    root.cache(SYSTEM + "/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")
    _, (text,) = root.examine("GW-163")
    holds(text, SYSTEM, "whose driver is in /usr/lib/wsl/lib")


@case
def a_container_that_was_started_without_the_gpu(world):
    root = Root(world)
    root.module("550.54.14")
    report, (text,) = root.examine("GW-164")
    check(report["driver"]["maximum_cuda"] == "12.4" and report["findings"][0]["severity"] == "note", str(report))
    root.driver("550.54.14")
    root.write("/proc/self/mountinfo", f"1 2 8:1 / {SYSTEM}/libcuda.so.550.54.14 ro - ext4 /dev/sda1 ro\nbroken\n\n")
    report, _ = root.examine()
    check(copy_of(report, SYSTEM + "/libcuda.so.1")["origin"] == "mounted into the container", str(report["copies"]))


@case
def nccl_says_what_it_was_built_for(world):
    root = clean(world)
    lib = f"{SITE}/torch/lib"
    root.linked(lib + "/libtorch_cuda.so", ["libcudart.so.12", "libnccl.so.2"], "$ORIGIN/../../nvidia/cuda_runtime/lib")
    root.write(f"{SITE}/torch/version.py", "cuda = '12.4'\n")
    for cuda, codes in (("12.4", ()), ("11.8", ("GW-169",))):
        made = world.cc("made", f'const char version[] = "NCCL version 2.20.5+cuda{cuda}";\n', "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libnccl.so.2")
        with open(made, "rb") as file:
            root.write(SYSTEM + "/libnccl.so.2", file.read())
        report, texts = root.examine(*codes)
        copy = copy_of(report, SYSTEM + "/libnccl.so.2")
        check((copy["release"], copy["release_by"]) == ("2.20.5", "contents"), str(copy))
    holds(texts[0], "torch of ", "runs CUDA 12.4, and gets", "which was built for CUDA 11.8")


@case
def odd_roots_end_in_a_report(world):
    root = Root(world)
    check(root.run().status == 0, "an empty root")
    root.link("/usr/local/cuda", "/usr/local/cuda-12.4")
    root.link("/usr/local/cuda-12.4", "/usr/local/cuda")
    root.link(SITE, "/usr/local/lib/python3.11/other")
    root.link("/usr/local/lib/python3.11/other", SITE)
    root.link(SYSTEM + "/libcublas.so.12", "libcublas.so.12")
    root.link("/etc/ld.so.cache", "/etc/ld.so.cache")
    report, _ = root.examine()
    check(report["copies"] == report["toolkits"] == report["frameworks"] == [], str(report))
    root = clean(world)
    other = "/opt/app/lib/python3.10/site-packages"
    root.wheel("nvidia-cublas-cu12", "12.1.3.1", "nvidia/cublas/lib", BLAS, other)     # two environments are no fault
    os.makedirs(root.host("/venv/lib/python3.12/site-packages"))                       # and one without anything is none
    report, _ = root.examine()
    check(copy_of(report, f"{other}/nvidia/cublas/lib/libcublas.so.12")["release"] == "12.1.3.1", str(report["copies"]))
    result = root.run("--json", "--python", other)
    check([copy["release"] for copy in json.loads(result.out)["copies"] if copy["family"] == "cublas"] == ["12.1.3.1"], result.out)
    secret = root.host("/usr/local/cuda-12.4/lib64")
    os.makedirs(secret, 0)
    root.link("/usr/local/cuda-11.8", "/proc/self/fd")
    root.examine()
    os.chmod(secret, 0o755)
    root.write("/usr/local/cuda", "no directory")
    os.mkfifo(root.host(SYSTEM + "/libcublas.so.12"))
    _, (text,) = root.examine("GW-129")
    holds(text, SYSTEM + "/libcublas.so.12")


@case
def a_gpu_is_known_by_its_name_or_given(world):
    root = clean(world)
    for model, arch in (("NVIDIA H200", "9.0"), ("NVIDIA L40S", "8.9"), ("NVIDIA L4", "8.9"), ("Tesla T4", "7.5"), ("NVIDIA GeForce RTX 4090", "8.9"),
                        ("NVIDIA RTX 6000 Ada Generation", "8.9"), ("Quadro RTX 6000", "7.5"), ("NVIDIA A100-SXM4-80GB", "8.0"), ("NVIDIA A10", "8.6"), ("NVIDIA B200", "10.0"),
                        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "12.0"), ("Of Tomorrow", None)):
        root.write("/proc/driver/nvidia/gpus/0000:01:00.0/information", f"Model: \t\t {model}\nIRQ:   \t\t 16\n")
        report, _ = root.examine()
        check([(gpu["model"], gpu["architecture"]) for gpu in report["driver"]["gpus"]] == [(model, arch)], str(report["driver"]["gpus"]))
    result = root.run("--gpu", "new")
    check((result.status, result.err) == (2, "gangway: --gpu new: is no architecture, such as 9.0 or sm_90a\n"), str(result))


@case
def code_for_the_gpu_is_there_or_can_be_compiled_or_not(world):
    root = clean(world)
    root.write("/proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\n")
    root.write(f"{SITE}/torch/version.py", "cuda = '12.1'\n")

    def code(path, kind, arch, major=0, minor=0):
        """One fat binary with one entry: kind 1 is PTX, 2 are kernels."""
        made = world.cc("made", f"""__asm__(".section .nv_fatbin,\\"a\\"\\n.long 0xba55ed50\\n.short 1, 16\\n.quad 128\\n"
            ".short {kind}, 0x101\\n.long 64\\n.quad 64\\n.long 0, 0\\n.short {minor}, {major}\\n.long {arch}, 0, 0\\n.quad 0, 0, 0\\n.fill 64, 1, 1\\n");
""", "-shared", "-fPIC", "-nostdlib")
        with open(made, "rb") as file:
            root.write(f"{SITE}/{path}", file.read())

    library = "torch/lib/libtorch_cuda.so"
    code(library, 2, 90)
    root.examine()
    code(library, 2, 80)
    _, (text,) = root.examine("GW-170")
    holds(text, f"{SITE}/{library} of torch has neither kernels nor PTX for NVIDIA H200, whose architecture is 9.0")
    code(library, 1, 80, 8, 4)
    root.examine()
    code(library, 1, 80, 8, 7)
    _, (text,) = root.examine("GW-171")
    holds(text, "its PTX 8.7 is that of CUDA 12.8; the driver's maximum is 12.4 (driver 550.54.14")
    code(library, 2, 90)
    code("bitsandbytes/libbitsandbytes_cuda121.so", 2, 80)
    _, (text,) = root.examine("GW-170")
    holds(text, "libbitsandbytes_cuda121.so of bitsandbytes")
    code("bitsandbytes/libbitsandbytes_cuda121_nocublaslt.so", 2, 90)
    root.examine()


@case
def text_fits_a_screen(world):
    root = clean(world)
    for soname in PARTS:
        root.versioned(SYSTEM, soname, "8.6.0")
    text = root.run().out
    paths = [word for word in text.split() if word.startswith("/")]
    check(all(len(line) <= 120 or any(path in line for path in paths if len(path) > 60) for line in text.splitlines()), text)
    check(text.index("GW-125") < text.index("Driver\n") < text.index("What is called") < text.index("Libraries"), text)


@case
def links_and_records_do_not_lead_out_of_the_root(world):
    root = clean(world)
    outside = world.write("outside/libcublas.so.12", "no library")
    root.link(SYSTEM + "/libcublas.so.12", outside)
    root.link("/usr/local/cuda-9.0", "../../../../../.." + os.path.dirname(outside))
    root.link("/usr/local/cuda", "cuda")
    info = f"{SITE}/nvidia_evil-1.0.dist-info"
    root.write(info + "/RECORD", "../" * 40 + f"{outside[1:]},sha256={'A' * 43},1\n")
    _, (text,) = root.examine("GW-120")
    holds(text, "it is not there")


@case
def wrong_options_are_one_clear_line(world):
    root = Root(world)
    for arguments, status, said in (
            (("doctor", "--root", "/nowhere"), 3, "gangway: --root /nowhere: no such directory\n"),
            (("doctor", "--root", root.path, "--python", "/none"), 3, "gangway: --python /none: No such file or directory\n"),
            (("doctor", "--library-path", "/none"), 3, "gangway: --library-path /none: no such directory\n"),
            (("doctor", "--library-path", ""), 2, "gangway: --library-path: no directory is given\n"),
            (("doctor", "here"), 2, "gangway: doctor: 'here' is not expected; `gangway scan` looks at files\n"),
            (("doctor", "--rot", "/"), 2, "gangway: doctor: --rot is no option, or takes no value; `gangway doctor --help` lists the options\n")):
        result = world.run(*arguments)
        check((result.status, result.out, result.err) == (status, "", said), str(result))
    report, _ = root.examine()
    check(report["copies"] == report["toolkits"] == [] and report["driver"]["libcuda"]["path"] is None, str(report))
    check("Libraries\n    none\n" in root.run().out, root.run().out)


if __name__ == "__main__":
    main()
