# SPDX-License-Identifier: Apache-2.0
"""Which copy of libraries that belong together a search ends at, under `gangway run`. paired.py GANGWAY AUDITOR SOURCE-DIRECTORY

The libraries are a few lines of C that say their own directory; what a wheel would be has its .dist-info beside it."""
import json
import os
import shutil

from harness import case, check, main

BLAS, LT, DNN, JIT = "libcublas.so.12", "libcublasLt.so.12", "libcudnn.so.9", "libnvJitLink.so.12"
# Each word is one step: open:PATH, now:NAME (RTLD_NOW), noload:NAME, other:PATH (a namespace of its own), threads:PATH, close (the last one), cd:DIR,
# call:FUNCTION (of the last one), inside:FUNCTION=NAME (which dlopens NAME from that library). Ends with the files that are mapped.
STEPS = r"""#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *handle;
static void say(void *got) { const char *error = got ? NULL : dlerror(); printf("%s\n", got ? "yes" : error ? error : "no"); }
static void *open_it(void *path) { return dlopen(path, RTLD_LAZY); }
int main(int argc, char **argv)
{
	char line[8192];
	for (int i = 1; i < argc; i++) {
		char *word = argv[i], *value = strchr(word, ':');
		if (value) *value++ = 0;
		if (!strcmp(word, "open")) say(handle = dlopen(value, RTLD_LAZY));
		else if (!strcmp(word, "now")) say(handle = dlopen(value, RTLD_NOW | RTLD_GLOBAL));
		else if (!strcmp(word, "noload")) printf("%s\n", dlopen(value, RTLD_LAZY | RTLD_NOLOAD) ? "yes" : "no");
		else if (!strcmp(word, "other")) say(handle = dlmopen(LM_ID_NEWLM, value, RTLD_NOW));
		else if (!strcmp(word, "close")) dlclose(handle);
		else if (!strcmp(word, "cd")) printf("%d\n", chdir(value));
		else if (!strcmp(word, "call")) {
			const char *(*who)(void) = (const char *(*)(void))dlsym(handle, value);
			printf("%s\n", who ? who() : dlerror());
		} else if (!strcmp(word, "inside")) {
			char *name = strchr(value, '='); *name++ = 0;
			const char *(*opens)(const char *) = (const char *(*)(const char *))dlsym(handle, value);
			printf("%s\n", opens(name));
		} else if (!strcmp(word, "threads")) {
			pthread_t thread[8]; void *got[8];
			for (int k = 0; k < 8; k++) pthread_create(&thread[k], NULL, open_it, value);
			for (int k = 0; k < 8; k++) pthread_join(thread[k], &got[k]), handle = got[k];
			say(handle);
		}
		fflush(stdout);
	}
	FILE *maps = fopen("/proc/self/maps", "r");
	char last[8192] = "";
	while (fgets(line, sizeof line, maps)) {
		char *path = strchr(line, '/');
		if (!path || (!strstr(path, "/libcu") && !strstr(path, "/libnv")) || !strcmp(path, last)) continue;
		strcpy(last, path);
		printf("mapped %s", path);
	}
	return 0;
}
"""
OPENS = """#define _GNU_SOURCE
#include <dlfcn.h>
const char *opens(const char *name) { return dlopen(name, RTLD_LAZY) ? "yes" : dlerror(); }
const char *noload(const char *name) { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD) ? "yes" : "no"; }
"""


def steps(world):
    return world.cc("steps", STEPS, "-ldl", "-lpthread")


def says(name, answer):
    return f'const char *{name}(void) {{ return "{answer}"; }}\n'


def versioned(world, node):
    return "-Wl,--version-script=" + world.write("map." + node, node + " { global: *; };\n")


def pair(world, folder, answer, runpath=True, release=None, site=None):
    """libcublas, which answers what its libcublasLt is, and libcublasLt, in FOLDER, or as the wheel RELEASE in SITE."""
    if site:
        folder = f"{site}/nvidia/cublas/lib"
        os.makedirs(world.path(f"{site}/nvidia_cublas_cu12-{release}.dist-info"), exist_ok=True)
    partner = world.library(f"{folder}/{LT}", says("lt", answer), versioned(world, LT))
    world.library(f"{folder}/{BLAS}", 'const char *lt(void);\nconst char *blas(void) { return lt(); }\n' + OPENS + says("mine", answer), partner,
                  *(("-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags") if runpath else ()), versioned(world, BLAS), "-ldl")
    return world.path(folder)


def plain(world, folder, soname, answer, release=None, package=None, text="", flags=()):
    """One library; with RELEASE, the wheel's: FOLDER is a site then."""
    where = folder
    if release:
        where = f"{folder}/nvidia/{package}/lib"
        os.makedirs(world.path(f"{folder}/nvidia_{package}_cu12-{release}.dist-info"), exist_ok=True)
    world.library(f"{where}/{soname}", says("who", answer) + OPENS + text, *flags, versioned(world, soname), "-ldl")
    return world.path(where)


def run_lines(out):
    """What was said, and, sorted, what is mapped."""
    lines = out.splitlines()
    return [line for line in lines if not line.startswith("mapped ")] + sorted(line for line in lines if line.startswith("mapped "))


def both(world, *words, env=None, options=()):
    """(what the program prints bare, what it prints under run, the findings, the lines of the log)"""
    program = world.path("steps") if os.path.exists(world.path("steps")) else steps(world)
    bare = world.bare(program, *words, env=env)
    log = world.path("log")
    if os.path.exists(log):
        os.remove(log)
    ours = world.run("run", "--log", log, *options, program, *words, env=env)
    check(bare.status == ours.status == 0, f"{bare}\n{ours}")
    lines = [json.loads(line) for line in open(log, encoding="utf-8")] if os.path.exists(log) else []
    return run_lines(bare.out), run_lines(ours.out), ours.err, lines


def searches(lines, outcome):
    return [(line["name"], line.get("path")) for line in lines if line["type"] == "search" and line["outcome"] == outcome]


def untouched(world, *words, env=None, options=()):
    bare, ours, err, lines = both(world, *words, env=env, options=options)
    check(bare == ours and not err, f"{bare}\n{ours}\n{err}")
    check(not [line for line in lines if line["type"] == "finding"], str(lines))
    return bare


# ---- one directory for what belongs together

@case
def a_partner_from_another_directory_is_replaced_by_the_one_beside(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    bare, ours, err, lines = both(world, f"now:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": other})
    check(bare[:2] == ["yes", "other"] and f"mapped {other}/{LT}" in bare, str(bare))
    check(ours == ["yes", "own", f"mapped {own}/{BLAS}", f"mapped {own}/{LT}"], str(ours))
    check(f"gangway: warning GW-340: {other}/{LT} would have answered beside {own}/{BLAS}, which" in err and f"LD_LIBRARY_PATH={own}\n" in err, err)
    check(err.count("\n") == 1 and searches(lines, "partner") == [(LT, f"{own}/{LT}")], err + str(lines))
    said = both(world, f"now:{own}/{BLAS}", env={"LD_LIBRARY_PATH": other}, options=("--explain",))[2]
    check(f"gangway: {LT} is taken from beside its partner: {own}/{LT} (" in said, said)


@case
def a_program_that_needs_both_gets_both_from_one_directory(world):
    own, other = pair(world, "own", "own"), world.path("other")
    os.makedirs(other)
    world.library(f"other/{LT}", says("lt", "other"), versioned(world, LT))
    program = world.cc("needs", '#include <stdio.h>\nconst char *lt(void), *blas(void);\nint main(void) { printf("%s %s\\n", blas(), lt()); return 0; }\n',
                       "-Wl,--no-as-needed", f"{own}/{BLAS}", f"{own}/{LT}", f"-Wl,-rpath,{own}", "-Wl,--enable-new-dtags")
    env = {"LD_LIBRARY_PATH": other}
    check(world.bare(program, env=env).out == "other other\n", "bare")
    check(world.run("run", program, env=env).out == "own own\n", str(world.run("run", program, env=env)))


@case
def a_right_pair_is_left_alone(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    for env in ({}, {"LD_LIBRARY_PATH": own}, {"LD_LIBRARY_PATH": f"{own}:{other}"}):
        untouched(world, f"now:{own}/{BLAS}", "call:blas", env=env)
    untouched(world, f"now:{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": other})
    untouched(world, f"now:{LT}", f"now:{BLAS}", env={"LD_LIBRARY_PATH": other})


@case
def a_partner_of_equal_content_is_no_other_one(world):
    own = pair(world, "own", "own")
    for make in (os.link, shutil.copy, os.symlink):
        os.makedirs(world.path("other"))
        make(f"{own}/{LT}", world.path(f"other/{LT}"))
        check(f"mapped {own}/{BLAS}" in untouched(world, f"now:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": world.path("other")}), make.__name__)
        shutil.rmtree(world.path("other"))
    os.symlink(own, world.path("other"))
    untouched(world, f"now:{own}/{BLAS}", f"now:{world.path('other')}/{LT}", env={"LD_LIBRARY_PATH": world.path("other")})
    same_length = os.path.getsize(f"{own}/{LT}")
    other = pair(world, "another", "oth")
    check(os.path.getsize(f"{other}/{LT}") == same_length, "two files of one length are what this is about")
    check(both(world, f"now:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": other})[1][1] == "own", "a file of the same length")


@case
def pairing_can_be_turned_off_and_the_mix_is_told(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    env = {"LD_LIBRARY_PATH": other}
    for options, more in ((("--no-pairing",), {}), ((), {"GANGWAY_PAIRING": "off"}), ((), {"GANGWAY_PAIRING": "0"})):
        bare, ours, err, _ = both(world, f"now:{own}/{BLAS}", "call:blas", env={**env, **more}, options=options)
        check(bare == ours, str(ours))
        check(f"gangway: error GW-341: {own}/{BLAS} and {other}/{LT} are in one process" in err and err.count("\n") == 1, err)
    bare, ours, err, _ = both(world, f"now:{own}/{BLAS}", "call:blas", env={**env, "GANGWAY_DISABLE": "1"})
    check(bare == ours and not err, err)
    err = both(world, f"now:{own}/{BLAS}", env=env, options=("--quiet",))[2]
    check(not err, err)


@case
def what_is_mapped_already_stays_and_is_told(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    for first in (f"now:{other}/{LT}", f"open:{other}/{LT}"):
        bare, ours, err, _ = both(world, first, f"now:{own}/{BLAS}", "call:blas")
        check(bare == ours and "other" in ours, str(ours))
        check(f"gangway: error GW-341: {other}/{LT} and {own}/{BLAS} are in" in err and err.count("\n") == 1, err)
    # A path that a program names is never changed.
    env = {"LD_LIBRARY_PATH": own}
    bare, ours, err, _ = both(world, f"now:{own}/{BLAS}", f"now:{other}/{LT}", "call:lt", env=env)
    check(bare == ours and ours[2] == "other" and "GW-342" in err and "GW-340" not in err, f"{ours}\n{err}")


@case
def a_second_copy_is_told_unless_it_is_the_same(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    bare, ours, err, lines = both(world, f"now:{own}/{LT}", f"now:{other}/{LT}", "call:lt", f"now:{other}/{LT}")
    check(bare == ours and f"gangway: warning GW-342: {other}/{LT} is loaded as a second copy, beside {own}/{LT}; " in err and err.count("\n") == 1, err)
    check([line["code"] for line in lines if line["type"] == "finding"] == ["GW-342"], str(lines))
    shutil.copytree(own, world.path("copy"))
    os.makedirs(world.path("links"))
    os.symlink(f"{own}/{LT}", world.path(f"links/{LT}"))
    untouched(world, f"now:{own}/{LT}", f"now:{world.path('copy')}/{LT}", f"now:{world.path('links')}/{LT}")
    # Renamed, as tools that repair wheels do.
    shutil.copy(f"{other}/{LT}", world.path("libcublasLt-0123abcd.so.12.1.3.1"))
    err = both(world, f"now:{own}/{LT}", f"now:{world.path('libcublasLt-0123abcd.so.12.1.3.1')}")[2]
    check(f"libcublasLt-0123abcd.so.12.1.3.1 (12.1.3.1) is loaded as a second copy, beside {own}/{LT}" in err, err)
    # Another major release is another library.
    eleven = plain(world, "eleven", "libcublasLt.so.11", "eleven")
    untouched(world, f"now:{own}/{LT}", f"now:{eleven}/libcublasLt.so.11")


@case
def a_closed_copy_is_forgotten(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    untouched(world, f"open:{own}/{LT}", "close", f"open:{other}/{LT}", "close", f"open:{own}/{BLAS}", "call:blas")


@case
def a_question_with_noload_maps_and_tells_nothing(world):
    own, other = world.path("own"), pair(world, "other", "other")
    world.library(f"own/{BLAS}", OPENS + says("mine", "own"), versioned(world, BLAS), "-ldl")
    world.library(f"own/{LT}", says("lt", "own"), versioned(world, LT))
    untouched(world, f"now:{own}/{BLAS}", f"inside:noload={LT}", f"noload:{LT}", env={"LD_LIBRARY_PATH": other})
    bare, ours, err, _ = both(world, f"now:{own}/{BLAS}", f"inside:opens={LT}", env={"LD_LIBRARY_PATH": other})
    check(f"mapped {other}/{LT}" in bare and f"mapped {own}/{LT}" in ours and "GW-340" in err, f"{bare}\n{ours}\n{err}")


@case
def relative_paths_links_and_a_change_of_directory_lead_to_the_right_place(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    env = {"LD_LIBRARY_PATH": other}
    for path in (f"own/{BLAS}", f"./own/{BLAS}", f"other/../own/{BLAS}"):
        check(both(world, f"now:{path}", "call:blas", env=env)[1][1] == "own", path)
    shutil.move(f"{own}/{BLAS}", world.path("own/libcublas.so.12.8.5.5"))
    os.makedirs(world.path("links"))
    os.symlink(f"{own}/libcublas.so.12.8.5.5", world.path(f"links/{BLAS}"))
    bare, ours, err, _ = both(world, f"now:{world.path('links')}/{BLAS}", "call:blas", env=env)
    check(bare[1] == "other" and ours[1] == "own" and f"{BLAS} (12.8.5.5)" in err, f"{ours}\n{err}")


@case
def a_namespace_of_its_own_is_left_alone(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    bare, ours, err, _ = both(world, f"other:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": other})
    check(bare == ours and not err, f"{bare}\n{ours}\n{err}")


@case
def many_threads_get_the_right_pair(world):
    own, other = pair(world, "own", "own"), pair(world, "other", "other")
    ours, err = both(world, f"threads:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": other})[1:3]
    check(ours[:2] == ["yes", "own"] and err.count("\n") == 1, f"{ours}\n{err}")


@case
def a_partner_beside_is_found_where_no_search_would(world):
    own = pair(world, "own", "own", runpath=False)
    bare, ours, err, lines = both(world, f"now:{own}/{BLAS}", "call:blas")
    check("cannot open shared object file" in bare[0] and ours[:2] == ["yes", "own"] and not err, f"{bare}\n{ours}\n{err}")
    check(searches(lines, "partner") == [(LT, f"{own}/{LT}")], str(lines))


# ---- the newest of one major release

@case
def the_newest_copy_that_the_environment_names_is_taken(world):
    old, new = (plain(world, f"site-{r}", "libcudnn.so.8", r, r, "cudnn") for r in ("8.6.0.163", "8.7.0.84"))
    for env, options in (({"LD_LIBRARY_PATH": f"{old}:{new}"}, ()), ({"LD_LIBRARY_PATH": old}, ("--python", world.path("site-8.7.0.84")))):
        bare, ours, err, lines = both(world, "now:libcudnn.so.8", "call:who", env=env, options=options)
        check(bare[1] == "8.6.0.163" and ours[1] == "8.7.0.84", f"{bare}\n{ours}")
        check(f"gangway: note GW-343: {old}/libcudnn.so.8 (8.6.0.163) would have been taken; {new}/libcudnn.so.8 (8.7.0.84) was loaded instead" in err, err)
        check(searches(lines, "newest") == [("libcudnn.so.8", f"{new}/libcudnn.so.8")], str(lines))
    env = {"LD_LIBRARY_PATH": f"{new}:{old}"}
    untouched(world, "now:libcudnn.so.8", "call:who", env=env)
    env = {"LD_LIBRARY_PATH": f"{old}:{new}"}
    for more, options in (({"GANGWAY_CUDNN": old}, ()), ({}, ("--no-pairing",))):
        check(untouched(world, "now:libcudnn.so.8", "call:who", env={**env, **more}, options=options)[1] == "8.6.0.163", str(more))
    untouched(world, f"now:{old}/libcudnn.so.8", "now:libcudnn.so.8", env=env)


@case
def what_a_librarys_own_path_leads_to_gives_way_to_the_python_paths_alone(world):
    old, new = (plain(world, f"site-{r}", "libcudnn.so.8", r, r, "cudnn") for r in ("8.6.0.163", "8.7.0.84"))
    plugin = world.library("plugin.so", "const char *who(void);\nconst char *asks(void) { return who(); }\n", f"{old}/libcudnn.so.8", f"-Wl,-rpath,{old}",
                           "-Wl,--disable-new-dtags")
    untouched(world, f"now:{plugin}", "call:asks", env={"LD_LIBRARY_PATH": new})
    ours = both(world, f"now:{plugin}", "call:asks", options=("--python", world.path("site-8.7.0.84")))[1]
    check(ours[1] == "8.7.0.84", str(ours))
    untouched(world, f"now:{plugin}", "call:asks", options=("--python", world.path("site-8.6.0.163")))


@case
def a_copy_without_a_release_or_of_less_than_the_whole_set_is_not_taken_for_newer(world):
    old = plain(world, "site-8.6.0.163", "libcudnn.so.8", "8.6", "8.6.0.163", "cudnn")
    new = plain(world, "site-8.7.0.84", "libcudnn.so.8", "8.7", "8.7.0.84", "cudnn")
    unknown = plain(world, "unknown", "libcudnn.so.8", "unknown")
    env = {"LD_LIBRARY_PATH": f"{unknown}:{new}"}
    untouched(world, "now:libcudnn.so.8", "call:who", env=env)
    plain(world, "site-8.6.0.163", "libcudnn_ops_infer.so.8", "8.6", "8.6.0.163", "cudnn")
    untouched(world, "now:libcudnn.so.8", "call:who", env={"LD_LIBRARY_PATH": f"{old}:{new}"})
    # One that needs libraries that nobody has asked for.
    blas = plain(world, "blas", BLAS, "blas")
    os.remove(f"{old}/libcudnn_ops_infer.so.8")
    plain(world, "site-8.9.2.26", "libcudnn.so.8", "8.9", "8.9.2.26", "cudnn", flags=("-Wl,--no-as-needed", f"{blas}/{BLAS}"))
    untouched(world, "now:libcudnn.so.8", "call:who", env={"LD_LIBRARY_PATH": f"{old}:{world.path('site-8.9.2.26/nvidia/cudnn/lib')}"})
    # TensorRT's engines are of one release.
    names = [world.path(f"trt-{r}") for r in ("8.5.1", "8.6.1")]
    for folder, release in zip(names, ("8.5.1", "8.6.1")):
        world.library(f"{os.path.basename(folder)}/libnvinfer.so.{release}", says("who", release), "-Wl,-soname,libnvinfer.so.8")
        os.symlink(f"libnvinfer.so.{release}", f"{folder}/libnvinfer.so.8")
    untouched(world, "now:libnvinfer.so.8", "call:who", env={"LD_LIBRARY_PATH": ":".join(names)})


@case
def the_copy_that_has_what_is_asked_of_it_is_taken_whatever_its_release(world):
    old = plain(world, "old", JIT, "old", text=says("__nvJitLinkAddData_12_1", ""))
    new = plain(world, "new", JIT, "new", text=says("__nvJitLinkAddData_12_1", "") + says("__nvJitLinkAddData_12_4", "new"))
    os.makedirs(world.path("sparse"))
    sparse = world.library("sparse/libcusparse.so.12", "const char *__nvJitLinkAddData_12_4(void);\n"
                           "const char *asks(void) { return __nvJitLinkAddData_12_4(); }\n", f"{new}/{JIT}", "-Wl,-rpath,$ORIGIN/../new", "-Wl,--enable-new-dtags")
    bare, ours, err, lines = both(world, f"now:{sparse}", "call:asks", env={"LD_LIBRARY_PATH": old})
    check("undefined symbol: __nvJitLinkAddData_12_4" in bare[0] and ours[:2] == ["yes", "new"], f"{bare}\n{ours}")
    check(f'gangway: note GW-343: {old}/{JIT} would have been taken, which lacks "__nvJitLinkAddData_12_4"; ' in err, err)
    check(searches(lines, "newest") == [(JIT, f"{world.path('sparse')}/../new/{JIT}")], str(lines))
    older = plain(world, "older", JIT, "older", text=says("__nvJitLinkAddData_12_4", "older") + says("__nvJitLinkAddData_12_1", ""))
    untouched(world, f"now:{sparse}", "call:asks", env={"LD_LIBRARY_PATH": older})


# ---- parts of cuDNN

def bundle(world):
    """A front library as a repaired wheel has it, which opens its parts by name."""
    return world.library("app.libs/libcudnn-74a4c495.so.97.1.0", OPENS, "-ldl")


@case
def a_bundled_front_library_gets_parts_of_its_own_release(world):
    front, name = bundle(world), "libcudnn_ops.so.97"
    for release in ("97.1.0.70", "97.5.1.17"):
        plain(world, f"site-{release}", name, release, release, "cudnn")
    options = [word for release in ("97.5.1.17", "97.1.0.70") for word in ("--python", world.path(f"site-{release}"))]
    words = [f"now:{front}", "inside:opens=libcudnn_ops.so.97.1.0", f"inside:opens={name}"]
    bare, ours, err, lines = both(world, *words, options=options)
    right = world.path(f"site-97.1.0.70/nvidia/cudnn/lib/{name}")
    check("cannot open" in bare[2] and ours[2] == "yes" and f"mapped {right}" in ours and not err, f"{ours}\n{err}")
    check(searches(lines, "partner") == [(name, right)] and ("libcudnn_ops.so.97.1.0", None) in searches(lines, "missing"), str(lines))
    # LD_LIBRARY_PATH leads to the other one.
    env = {"LD_LIBRARY_PATH": world.path("site-97.5.1.17/nvidia/cudnn/lib")}
    ours, err = both(world, *words, options=options, env=env)[1:3]
    check(f"mapped {right}" in ours and f"GW-340: {env['LD_LIBRARY_PATH']}/{name} (97.5.1.17) would have answered beside {front} (97.1.0)" in err, err)


@case
def engines_of_another_release_are_refused(world):
    front, name = bundle(world), "libcudnn_engines_precompiled.so.97"
    other = plain(world, "site-97.5.1.17", name, "9.5", "97.5.1.17", "cudnn")
    for env, options in (({"LD_LIBRARY_PATH": other}, ()), ({}, ("--python", world.path("site-97.5.1.17")))):
        bare, ours, err, lines = both(world, f"now:{front}", f"inside:opens={name}", env=env, options=options)
        check(bare[1] == "yes" or not env, str(bare))
        check("cannot open shared object file" in ours[1], str(ours))
        check(f"gangway: warning GW-345: {other}/{name} (97.5.1.17) was not given to {front} (97.1.0), which is" in err, err)
        check(searches(lines, "refused") == [(name, f"{other}/{name}")], str(lines))
    plain(world, "site-97.1.0.70", name, "9.1", "97.1.0.70", "cudnn")
    untouched(world, f"now:{front}", f"inside:opens={name}", env={"LD_LIBRARY_PATH": world.path("site-97.1.0.70/nvidia/cudnn/lib")})
    untouched(world, f"now:{front}", f"inside:opens={name}", env={"LD_LIBRARY_PATH": other, "GANGWAY_DISABLE": "1"})


# ---- searches that find nothing

@case
def a_vendors_library_that_is_nowhere_is_told_by_name(world):
    words = ["now:libcufft.so.97", "now:libcudart.so.97.0", "now:libcudnn_ops.so.97.1.1", "now:libcusparseLt.so", "now:libother.so.1", "now:libcufft.so.97"]
    ours, err, lines = both(world, *words)[1:]
    told = [line["text"].split(",")[0] for line in lines if line["type"] == "finding" and line["code"] == "GW-344"]
    check(told == ["libcufft.so.97", "libcudart.so.97.0"] and err.count("\n") == 2, err)
    check(f"libcufft.so.97, which {world.path('steps')} asked for, cannot be opened: no such file in \"" in err, err)
    check({name for name, _ in searches(lines, "missing")} >= {word[4:] for word in words}, str(lines))
    check(all("cannot open shared object file" in line for line in ours), str(ours))


@case
def a_library_that_an_engine_opens_is_found_on_the_python_paths(world):
    front = plain(world, "engines", "libcudnn_engines_runtime_compiled.so.97", "engine")
    site = plain(world, "site", "libnvrtc.so.97", "nvrtc", "12.4.127", "cuda_nvrtc")
    words = [f"now:{front}/libcudnn_engines_runtime_compiled.so.97", "inside:opens=libnvrtc.so.97"]
    bare, ours, err, lines = both(world, *words, options=("--python", world.path("site")))
    check("cannot open" in bare[1] and ours[1] == "yes" and not err, f"{bare}\n{ours}\n{err}")
    check(searches(lines, "python") == [("libnvrtc.so.97", f"{site}/libnvrtc.so.97")], str(lines))
    err = both(world, *words)[2]
    check(f"GW-344: libnvrtc.so.97, which {front}/libcudnn_engines_runtime_compiled.so.97 asked for" in err, err)


# ---- what may lie in a directory

@case
def files_that_are_no_libraries_change_nothing(world):
    own = pair(world, "own", "own")
    for content in (b"", b"\x7fELF", b"text\n", open(f"{own}/{LT}", "rb").read()[:64]):
        os.makedirs(world.path("bad"), exist_ok=True)
        with open(world.path(f"bad/{LT}"), "wb") as file:
            file.write(content)
        bare, ours, _, _ = both(world, f"now:{own}/{BLAS}", "call:blas", env={"LD_LIBRARY_PATH": world.path("bad")})
        check(ours[:2] == ["yes", "own"], f"{bare}\n{ours}")
        with open(world.path(f"bad/{BLAS}"), "wb") as file:
            file.write(content)
        bare, ours, _, _ = both(world, f"now:{world.path('bad')}/{BLAS}", f"now:{BLAS}", env={"LD_LIBRARY_PATH": world.path("bad")})
        check(bare == ours, f"{bare}\n{ours}")
        os.remove(world.path(f"bad/{BLAS}"))


if __name__ == "__main__":
    main()
