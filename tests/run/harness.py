# SPDX-License-Identifier: Apache-2.0
"""Builds the small libraries and programs that the tests of `run` and `scan` are made of, and runs the cases.

Nothing of a vendor is used: a "real" library, a "facade" and a target are a few lines of C each, that answer their own name.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "findings"))
import registry  # noqa: E402


class Failure(Exception):
    pass


CASES = []


def case(function):
    """Marks a test; its name is the sentence that it proves."""
    CASES.append(function)
    return function


def check(condition, text):
    if not condition:
        raise Failure(text)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return f"status {self.status}\nstdout: {self.out}\nstderr: {self.err}"


class World:
    """One directory with an installed-looking gangway in it, and a compiler."""

    def __init__(self, gangway, auditor, source):
        self.source = source
        self.generated = os.path.join(os.path.dirname(os.path.dirname(auditor)), "abi", "gen")
        self.root = tempfile.mkdtemp(prefix="gw-run-")
        self.home = self.path("prefix")
        os.makedirs(self.path("prefix/bin"))
        os.makedirs(self.path("prefix/lib/gangway/facades"))
        os.makedirs(self.path("empty"))
        self.built_auditor = auditor
        self.gangway = shutil.copy(gangway, self.path("prefix/bin/gangway"))
        self.auditor = shutil.copy(auditor, self.path("prefix/lib/gangway/libgangway-audit.so"))
        self.shim = self.library("prefix/lib/gangway/libgangway.so", "void *gw_facade_bind(void) { return 0; }")
        self.facades = self.path("prefix/lib/gangway/facades")

    def path(self, name):
        return os.path.join(self.root, name)

    def finish(self):
        shutil.rmtree(self.root)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def cc(self, out, text, *flags):
        source = self.write(out + ".c", text)
        path = self.path(out)
        subprocess.run(["cc", "-Wall", "-o", path, source, *flags], check=True)
        os.remove(source)
        return path

    def library(self, out, text, *flags):
        soname = os.path.basename(out)
        return self.cc(out, text, "-shared", "-fPIC", "-Wl,-soname," + soname, "-Wl,--no-as-needed", *flags)

    def answering(self, out, answer, function="who", flags=()):
        """A library whose FUNCTION returns ANSWER."""
        return self.library(out, f'const char *{function}(void) {{ return "{answer}"; }}\n', *flags)

    def facade(self, soname, function="who"):
        return self.answering("prefix/lib/gangway/facades/" + soname, "facade", function, (self.shim,))

    def needing(self, out, library, *flags, function="who"):
        """A program that prints what FUNCTION of LIBRARY, by DT_NEEDED, says."""
        return self.cc(out, f"#include <stdio.h>\nconst char *{function}(void);\n"
                            f"int main(void) {{ puts({function}()); return 0; }}\n",
                       "-Wl,--no-as-needed", library, "-Wl,--allow-shlib-undefined", *flags)

    def opener(self, out="opener", *flags):
        """A program that dlopens its first argument, and prints what its function says, and which file that is in."""
        return self.cc(out, """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const char *(*who)(void) = handle ? (const char *(*)(void))dlsym(handle, "who") : NULL;
	Dl_info info = {0};

	if (!handle) {
		printf("no: %s\\n", dlerror());
		return 1;
	}
	if (who)
		dladdr((void *)who, &info);
	printf("%s\\n", who ? who() : "opened");
	if (argc > 2)
		printf("%s\\n", info.dli_fname);
	return 0;
}
""", "-ldl", *flags)

    def run(self, *arguments, env=None):
        """`gangway ARGUMENTS`, in an environment with nothing of gangway or the loader in it but ENV."""
        return self.bare(self.gangway, *arguments, env=env)

    def bare(self, *command, env=None):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("GANGWAY_", "LD_", "PYTHON", "VIRTUAL_ENV", "CONDA_"))}
        # A gangway built with ASan is itself started under a preload by some cases.
        clean.update(LC_ALL="C", ASAN_OPTIONS="verify_asan_link_order=0")
        clean.update(env or {})
        done = subprocess.run(command, env=clean, cwd=self.root, capture_output=True, text=True, errors="replace",
                              timeout=120, stdin=subprocess.DEVNULL)
        registry.check(done.stderr + done.stdout)
        return Result(done.returncode, done.stdout, done.stderr)


def main():
    """FILE.py GANGWAY AUDITOR SOURCE-DIRECTORY [WORD]: runs every case, or those with WORD in their names, each on its own world."""
    gangway, auditor, source = sys.argv[1:4]
    passed, failed = 0, 0
    for function in CASES:
        if sys.argv[4:] and sys.argv[4] not in function.__name__:
            continue
        world = World(gangway, auditor, source)
        try:
            function(world)
            passed += 1
        except Exception as error:  # a broken case must not hide the others
            failed += 1
            detail = str(error) if isinstance(error, Failure) else traceback.format_exc()
            print(f"FAILED {function.__name__}\n{detail}")
        finally:
            world.finish()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)
