# SPDX-License-Identifier: Apache-2.0
"""`gangway verify` on libraries that compute on host memory: it says what is right, and names what is not.

usage: verify.py GANGWAY FAKE-DIRECTORY SOURCE-DIRECTORY [WORD]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "findings"))
import registry  # noqa: E402

STAND_INS = {"cuda": ["libcuda.so.1"], "cudart": ["libcudart.so.12"], "nccl": ["libnccl.so.2"], "nvrtc": ["libnvrtc.so.12"],
             "cusolver": ["libcusolver.so.11"]}
PRODUCTS = [f"product-{kind}" for kind in ("fp64", "fp32", "tf32", "fp16", "bf16", "int8", "fp8")]
# cuDNN's fakes keep graphs, and compute none.
COMPUTED = ["driver", "runtime", "nvrtc", *PRODUCTS, "cublas", "convolution", "convolution-fused", "eigenvalues", "nccl"]
CASES = []


def case(function):
    CASES.append(function)
    return function


class Machine:
    """A directory with the stand-ins for what has no fake, and the fakes of some releases."""

    made = {}

    def __init__(self, gangway, fakes, *releases, without=()):
        self.gangway, self.fakes = gangway, pathlib.Path(fakes)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="gw-verify-"))
        self.libraries = self.root / "lib"
        self.libraries.mkdir()
        for release in releases:
            for file in (self.fakes / release / "lib").iterdir():
                (self.libraries / file.name).symlink_to(file)
        for stem, names in STAND_INS.items():
            for name in names:
                if name not in without:
                    shutil.copy(self.build(stem, name), self.libraries / name)

    @classmethod
    def build(cls, stem, name):
        if name not in cls.made:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="gw-verify-made-"))
            subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", f"-Wl,-soname,{name}",
                            "-o", folder / name, HERE / f"fake_{stem}.c", "-lm"], check=True)
            cls.made[name] = folder / name
        return cls.made[name]

    def program(self, *needed, runpath=None):
        path = self.root / "program"
        words = [f"-Wl,-rpath,{runpath}", "-Wl,--enable-new-dtags"] if runpath else []
        for name in needed:
            stub = self.root / "stubs" / name
            stub.parent.mkdir(exist_ok=True)
            subprocess.run(["cc", "-shared", f"-Wl,-soname,{name}", "-o", stub, "-xc", "/dev/null"], check=True)
            words.append(stub)
        subprocess.run(["cc", "-o", path, "-xc", "-", "-xnone", "-Wl,--no-as-needed", *words], input=b"int main(void) { return 0; }", check=True)
        return path

    def run(self, *words, faults="", with_shim="", path=True, **env):
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("GANGWAY_", "LD_", "PYTHON", "VIRTUAL_ENV", "CONDA_", "FAKE_"))}
        clean |= {"LC_ALL": "C", "FAKE_FAULTS": faults, "FAKE_FAULTS_WITH_SHIM": with_shim, "ASAN_OPTIONS": "verify_asan_link_order=0", **env}
        if path:
            clean["LD_LIBRARY_PATH"] = str(self.libraries)
        done = subprocess.run([self.gangway, "verify", *map(str, words)], env=clean, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
        registry.check(done.stdout + done.stderr)
        return done

    def report(self, status, *words, **rest):
        """The steps of a JSON report, and its findings' codes; the report itself."""
        text = self.run(*words, **rest)
        done = self.run("--json", *words, **rest)
        assert done.returncode == status == text.returncode, f"status {done.returncode}, {text.returncode}\n{text.stdout}\n{text.stderr}"
        report = json.loads(done.stdout)
        assert text.stdout.count("\n    GW-") == len(report["findings"]), text.stdout
        return {step["step"]: step for step in report["steps"]}, [finding["code"] for finding in report["findings"]], report

    def finish(self):
        shutil.rmtree(self.root)


def only(steps):
    return [word for step in steps for word in ("--only", step)]


CUDA_12 = ("cublas-12.9.0.13", "cudnn-9.4.0.58")
CUDA_13 = ("cublas-13.10.0.20", "cudnn-9.28.1.4")


@case
def everything_is_right_with_the_same_bits(make):
    machine = make(*CUDA_12)
    steps, codes, report = machine.report(0, "--major", "12", *only(COMPUTED))
    assert list(steps) == COMPUTED and not codes, (list(steps), codes)
    for name, step in steps.items():
        assert step["outcome"] == step["bare"] == "ok" and step["drift"] == 0, step
        assert step["cases"] and all(one["ok"] and one["drift"] == 0 for one in step["cases"]), step
    assert [one["case"] for one in steps["product-fp16"]["cases"]] == ["64x48x96", "33x17x29", "64x48x96 + bias", "64x48x96 + bias, GELU"]
    assert steps["driver"]["facts"]["GPU"] == 'Fake "GPU"', steps["driver"]
    named = {library["library"]: library for library in report["libraries"]}
    assert [file["release"] for file in named["cublasLt"]["bare_files"]] == ["12.9.0"], named
    assert named["cublasLt"]["path"] == str(machine.libraries / "libcublasLt.so.12") and named["nccl"]["files"][0]["release"] == "2.20.5", named


@case
def what_is_there_is_taken_where_nobody_names_a_major(make):
    # (this machine may have a CUDA of its own, which the loader's cache names)
    machine = make(*CUDA_13)
    steps, codes, report = machine.report(0, *only(PRODUCTS))
    assert not codes and {library["library"]: library["soname"] for library in report["libraries"]}["cublasLt"] == "libcublasLt.so.13"


@case
def facades_answer_for_an_old_major(make):
    machine = make(*CUDA_13)
    steps, codes, report = machine.report(0, "--major", "11", *only([*PRODUCTS, "cublas", "convolution", "convolution-fused"]))
    assert not codes and all(step["outcome"] == "ok" and step["bare"] == "missing" and step["drift"] is None for step in steps.values()), steps
    files = {library["library"]: library for library in report["libraries"]}
    assert sorted(file["release"] for file in files["cublasLt"]["files"]) == ["11.11.3", "13.10.0"], files["cublasLt"]
    assert any("/facades/libcudnn.so.8" in file["path"] for file in files["cudnn"]["files"]), files["cudnn"]


@case
def a_programs_own_libraries_are_found_by_its_runpath(make):
    machine = make(*CUDA_12)
    own = machine.root / "own"
    machine.libraries.rename(own)
    machine.libraries.mkdir()
    (own / "libcuda.so.1").rename(machine.libraries / "libcuda.so.1")
    program = machine.program("libcublasLt.so.12", "libnccl.so.2", runpath=own)
    steps, codes, report = machine.report(0, "--program", program, *only(["product-fp32", "nccl"]))
    named = {library["library"]: library for library in report["libraries"]}
    assert not codes and named["nccl"]["needed"] and named["nccl"]["path"] == str(own / "libnccl.so.2"), named["nccl"]
    assert not named["cusolver"]["needed"], named


@case
def a_library_that_the_program_needs_and_that_is_not_there_is_named_and_its_cure_cures(make):
    machine = make(*CUDA_12, without=["libcusolver.so.11"])
    program = machine.program("libcublasLt.so.12", "libcusolver.so.11")
    steps, codes, _ = machine.report(1, "--program", program, "--only", "eigenvalues", "--only", "nccl")
    assert codes == ["GW-189"] and steps["eigenvalues"]["outcome"] == "missing" and steps["nccl"]["outcome"] == "ok", (codes, steps)
    assert "libcusolver.so.11: cannot open shared object file" in steps["eigenvalues"]["why"], steps["eigenvalues"]
    other = make(*CUDA_12)
    steps, codes, _ = other.report(0, "--program", program, "--library-path", other.libraries, "--only", "eigenvalues", path=False)
    assert not codes, codes


@case
def a_library_that_nobody_needs_may_be_missing(make):
    machine = make(*CUDA_12, without=["libcusolver.so.11"])
    steps, codes, _ = machine.report(0, "--major", "12", "--only", "eigenvalues", "--only", "nccl")
    assert not codes and steps["eigenvalues"]["outcome"] == "not here", steps


@case
def a_file_that_cannot_be_loaded_is_an_error(make):
    machine = make(*CUDA_12, without=["libnccl.so.2"])
    (machine.libraries / "libnccl.so.2").write_text("no library\n")
    steps, codes, _ = machine.report(1, "--major", "12", "--only", "nccl", "--only", "product-fp32")
    assert codes == ["GW-189"] and "libnccl.so.2" in steps["nccl"]["why"] and steps["product-fp32"]["outcome"] == "ok", steps


@case
def a_python_environment_gives_its_own_libraries(make):
    machine = make(*CUDA_12)
    site = machine.root / "site-packages"
    for name, library in (("cublas", "libcublasLt.so.12"), ("nccl", "libnccl.so.2")):
        folder = site / "nvidia" / name / "lib"
        folder.mkdir(parents=True)
        os.replace(machine.libraries / library, folder / library)
    steps, codes, report = machine.report(0, "--python", site, *only(["product-fp32", "nccl"]))
    named = {library["library"]: library for library in report["libraries"]}
    assert not codes and named["cublasLt"]["path"] == str(site / "nvidia/cublas/lib/libcublasLt.so.12"), named
    # the framework in it says what is needed
    (site / "torch" / "lib").mkdir(parents=True)
    os.replace(machine.program("libcublasLt.so.12", "libcudnn.so.7", "libcusolver.so.11"), site / "torch" / "lib" / "libtorch_cuda.so")
    os.remove(machine.libraries / "libcusolver.so.11")
    steps, codes, report = machine.report(1, "--python", site, *only(["product-fp32", "eigenvalues"]))
    assert codes == ["GW-189"] and report["program"] == str(site / "torch/lib/libtorch_cuda.so"), (codes, report["program"])


@case
def wrong_numbers_fail_and_their_step_is_named(make):
    machine = make(*CUDA_12)
    # the last byte of each result of half precision, and an eigenvalue
    steps, codes, _ = machine.report(1, "--major", "12", *only(COMPUTED), faults=f"cuda=spoil{64 * 48 * 2}")
    wrong = [name for name, step in steps.items() if step["outcome"] != "ok"]
    assert wrong == ["product-fp16", "product-bf16", "product-fp8"] and codes == ["GW-185"] * 3, (wrong, codes)
    bad = [one["case"] for one in steps["product-fp16"]["cases"] if not one["ok"]]
    assert "64x48x96" in bad and "33x17x29" not in bad, bad
    steps, codes, _ = machine.report(1, "--major", "12", "--only", "eigenvalues", faults="cusolver=wrong")
    assert codes == ["GW-185"] and "cusolverDnCheevd: the numbers are off by" in steps["eigenvalues"]["why"], steps
    steps, codes, _ = machine.report(1, "--major", "12", "--only", "nccl", faults="nccl=wrong")
    assert codes == ["GW-185"], steps


@case
def less_precision_than_was_asked_for_is_wrong(make):
    machine = make(*CUDA_12)
    # the lowest bits that TF32 drops: the third byte of a float, in the first result
    steps, codes, _ = machine.report(1, "--major", "12", "--only", "product-fp32", faults=f"cuda=coarse{64 * 48 * 4}")
    assert codes == ["GW-185"], steps
    steps, codes, _ = machine.report(0, "--major", "12", "--only", "product-tf32", faults=f"cuda=coarse{64 * 48 * 4}")
    assert not codes, steps


@case
def a_crash_costs_its_step_alone(make):
    machine = make(*CUDA_12)
    for fault, words in (("crash", "ended by signal 6 (Aborted) in: ncclAllReduce"), ("exit", "the process ended itself with status 0 in: ncclAllReduce")):
        steps, codes, _ = machine.report(1, "--major", "12", *only(["eigenvalues", "nccl", "product-fp64"]), faults=f"nccl={fault}")
        assert codes == ["GW-187"] and steps["nccl"]["why"] == words and steps["nccl"]["bare"] == "crashed", steps["nccl"]
        assert steps["eigenvalues"]["outcome"] == steps["product-fp64"]["outcome"] == "ok", steps


@case
def a_hang_ends_in_its_time(make):
    machine = make(*CUDA_12)
    steps, codes, _ = machine.report(1, "--major", "12", "--only", "nccl", "--only", "driver", "--limit", "1", faults="nccl=hang")
    assert codes == ["GW-188"] and steps["nccl"]["why"] == "not done after 1 s in: ncclAllReduce" and steps["driver"]["outcome"] == "ok", steps


@case
def a_refused_call_is_told_in_the_librarys_words(make):
    machine = make(*CUDA_12)
    steps, codes, _ = machine.report(1, "--major", "12", *only(["runtime", "nccl", "eigenvalues"]), faults="nccl=fail cudart=fail cusolver=diverge")
    assert codes == ["GW-186"] * 3, codes
    assert steps["nccl"]["why"] == "ncclCommInitAll answered 2: unhandled system error", steps["nccl"]
    assert "cudaErrorInsufficientDriver: CUDA driver version is insufficient" in steps["runtime"]["why"], steps["runtime"]
    assert steps["eigenvalues"]["why"].endswith("info is 3"), steps["eigenvalues"]


@case
def what_fails_under_gangway_alone_is_told_so(make):
    machine = make(*CUDA_12)
    steps, codes, report = machine.report(1, "--major", "12", "--only", "nccl", with_shim="nccl=fail")
    assert codes == ["GW-186"] and report["findings"][0]["text"].endswith("; without gangway: ok"), report["findings"]


@case
def drift_is_a_note(make):
    machine = make(*CUDA_12)
    steps, codes, _ = machine.report(0, "--major", "12", *only(["product-fp32", "product-fp64"]), with_shim=f"cuda=slight{64 * 48 * 4}")
    assert codes == ["GW-191"] and 0 < steps["product-fp32"]["drift"] < 1e-6 and steps["product-fp64"]["drift"] == 0, steps


@case
def without_a_device_each_step_that_could_not_run_is_named(make):
    for machine, faults, words in ((make(*CUDA_12), "cuda=none",
                                    "no CUDA device: cuInit answered 100, CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"),
                                   (make(*CUDA_12, without=["libcuda.so.1"]), "", "no CUDA driver: libcuda.so.1: cannot open shared object file")):
        steps, codes, report = machine.report(3, "--major", "12", faults=faults)
        assert len(steps) == 16 and codes == ["GW-190"] and "16 of 16 steps" in report["findings"][0]["text"], report["findings"]
        assert all(step["outcome"] == "no device" and words in step["why"] for step in steps.values()), steps
        # what needs no device was done
        assert {library["library"]: library for library in report["libraries"]}["cudnn"]["files"][0]["release"] == "9.4.0"
        assert steps["nccl"]["facts"] == {"NCCL": "2.20.5"}, steps["nccl"]


@case
def a_machine_with_nothing_is_no_success(make):
    machine = make(without=[name for names in STAND_INS.values() for name in names])
    steps, codes, _ = machine.report(3, "--major", "12", *only(["nccl", "eigenvalues"]), LD_LIBRARY_PATH="/nonexistent", path=False)
    assert not codes or codes == ["GW-190"], codes


@case
def an_older_gpu_does_without_what_it_has_not(make):
    machine = make(*CUDA_12)
    steps, codes, _ = machine.report(0, "--major", "12", *only(COMPUTED), FAKE_CAPABILITY="75")
    assert [name for name, step in steps.items() if step["outcome"] == "not here"] == ["product-bf16", "product-fp8"] and not codes, steps


@case
def started_under_gangway_the_bare_run_is_bare(make):
    machine = make(*CUDA_13)
    clean = {**os.environ, "LD_LIBRARY_PATH": str(machine.libraries), "ASAN_OPTIONS": "verify_asan_link_order=0"}
    done = subprocess.run([machine.gangway, "run", "--quiet", "--", machine.gangway, "verify", "--json", "--major", "12", "--only", "product-fp32"],
                          env=clean, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
    step = json.loads(done.stdout)["steps"][0]
    assert step["bare"] == "missing" and step["outcome"] == "ok", done


@case
def wrong_usage_is_told(make):
    machine = make(*CUDA_12)
    for words, status, said in ((["--only", "produce"], 2, "--only produce: there is no such step; there are: driver runtime"),
                                (["--major", "10"], 2, "11, 12 and 13"), (["--limit", "0"], 2, "--limit 0"), (["--limit", "1x"], 2, "--limit 1x"),
                                (["--program", "/nonexistent/app"], 3, "/nonexistent/app"),
                                (["--program", "/etc/passwd"], 3, "/etc/passwd"), (["--python", "/nonexistent"], 3, "/nonexistent"),
                                (["--library-path", "/nonexistent"], 3, "/nonexistent"), (["app"], 2, "'app' is not expected"), (["--frob"], 2, "--frob")):
        done = machine.run(*words)
        assert done.returncode == status and said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, (words, done)
    assert "--only STEP" in machine.run("--help").stdout


def main():
    gangway, fakes, _ = sys.argv[1:4]
    passed = failed = 0
    for function in CASES:
        if sys.argv[4:] and sys.argv[4] not in function.__name__:
            continue
        machines = []

        def make(*releases, without=()):
            machines.append(Machine(gangway, fakes, *releases, without=without))
            return machines[-1]
        try:
            function(make)
            passed += 1
        except Exception:  # a broken case must not hide the others
            failed += 1
            print(f"FAILED {function.__name__}\n{traceback.format_exc()[-3000:]}", file=sys.stderr)
        for machine in machines:
            machine.finish()
    for path in Machine.made.values():
        shutil.rmtree(path.parent)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
