# SPDX-License-Identifier: Apache-2.0
"""`gangway run`: what the program sees of it, and which file answers each search. run.py GANGWAY AUDITOR SOURCE-DIRECTORY"""
import glob
import json
import os
import signal
import sys

from harness import case, check, main

OLD, OLD_LT, NEW = "libcublas.so.11", "libcublasLt.so.11", "libcublas.so.13"


def expect(result, status=0, out=None, err=None):
    check(result.status == status, f"expected status {status}\n{result}")
    if out is not None:
        check(result.out == out, f"expected stdout {out!r}\n{result}")
    if err is not None:
        check(err in result.err, f"expected on stderr {err!r}\n{result}")


def old_program(world, *flags):
    """A program that needs OLD, which then is nowhere; with a facade for it, and something for that to forward to."""
    library = world.answering("build/" + OLD, "real")
    program = world.needing("program", library, *flags)
    world.facade(OLD)
    world.answering("target/" + NEW, "target")
    return program


# ---- what the program sees

@case
def status_of_the_program_is_the_status_of_run(world):
    for status in (0, 1, 2, 3, 77, 126, 127, 255):
        expect(world.run("run", "sh", "-c", f"exit {status}"), status)


@case
def a_signal_that_kills_the_program_kills_run(world):
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV):
        expect(world.run("run", "sh", "-c", f"kill -{int(number)} $$"), -int(number))


@case
def standard_output_and_error_are_the_programs_alone(world):
    result = world.run("run", "sh", "-c", "echo out; echo err >&2")
    expect(result, 0, "out\n")
    check(result.err == "err\n", str(result))


@case
def a_crash_report_is_asked_for_unless_told_otherwise(world):
    show = ("sh", "-c", "echo $GANGWAY_CRASH")
    expect(world.run("run", *show), 0, "1\n")
    expect(world.run("run", "--no-crash-report", *show), 0, "0\n")
    expect(world.run("run", *show, env={"GANGWAY_CRASH": "0"}), 0, "0\n")


@case
def arguments_arrive_as_they_were_given(world):
    program = world.write("dir with space/show", "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\n", 0o755)
    for arguments in (["a b", "", "--log", "--", "-x", "ü*?$HOME", "new\nline"],):
        expect(world.run("run", program, *arguments), 0, "".join(f"<{a}>" for a in arguments))


@case
def two_dashes_end_the_options_of_run(world):
    expect(world.run("run", "--quiet", "--", "echo", "--log", "--", "x"), 0, "--log -- x\n")
    expect(world.run("run", "echo", "--no-audit"), 0, "--no-audit\n")


@case
def process_id_stays(world):
    result = world.bare("sh", "-c", f"echo $$; exec {world.gangway} run sh -c 'echo $$'")
    check(len(set(result.out.split())) == 1 and result.status == 0, str(result))


@case
def a_program_that_is_not_found_gives_127(world):
    expect(world.run("run", "no-such-program-here"), 127, "", "gangway: no-such-program-here: command not found\n")
    expect(world.run("run", "./no/such"), 127, "", "gangway: ./no/such: No such file or directory\n")


@case
def a_program_that_cannot_be_executed_gives_126(world):
    world.write("plain", "text\n")
    expect(world.run("run", "./plain"), 126, "", "gangway: ./plain: ")
    expect(world.run("run", "./empty"), 126, "", "Is a directory")


@case
def a_script_without_an_interpreter_line_runs_as_a_shell_runs_it(world):
    world.write("script", "echo from script\n", 0o755)
    expect(world.run("run", "./script"), 0, "from script\n")


@case
def wrong_usage_gives_2_and_one_line(world):
    for arguments in ([], ["--nonsense", "true"], ["--log"], ["--facades", "libnothing.so.1", "true"],
                      ["--facades", "", "true"], ["--log", "", "true"], ["--library-path", "", "true"], ["--facades", "../x", "true"]):
        result = world.run("run", *arguments)
        expect(result, 2, "")
        check(result.err.count("\n") == 1, str(result))


@case
def what_files_were_built_for_is_handed_on_and_a_value_that_cannot_be_read_is_one_clear_error(world):
    value = "libfoo.so:cublas=12.1.3.1,cudnn=8.9.7;*:cudnn=9.4,cublasLt=any;"
    expect(world.run("run", "--built-for", value, "sh", "-c", "echo $GANGWAY_BUILT_FOR"), 0, value + "\n", "")
    for value, why, at in (("", "a file's name and ':' are missing", 1), ("cudnn=9", "a file's name and ':' are missing", 1),
                           ("*:cufft=1", "no family; there are cublas cublasLt cudnn", 3), ("*:cudnn", "'=' and a release are missing", 8),
                           ("*:cudnn=nine", "no release, such as 12.1.3.1 or 12.1, nor `any`", 9), ("*:cudnn=9,", "no family; there are cublas cublasLt cudnn", 11),
                           ("a:cudnn=9;;", "a file's name and ':' are missing", 11)):
        result = world.run("run", "--built-for", value, "true")
        expect(result, 2, "")
        check(result.err == f"gangway: --built-for {value}: {why} at character {at}\n", str(result))


@case
def a_log_that_cannot_be_written_stops_before_the_program(world):
    for option in ("--log", "--findings"):
        result = world.run("run", option, "no/such/dir/file", "echo", "ran")
        expect(result, 3, "", f"{option} no/such/dir/file: No such file or directory")
        check(result.err.count("\n") == 1, str(result))


@case
def a_relative_log_stays_where_it_is_when_the_program_moves(world):
    program = old_program(world)
    expect(world.run("run", "--log", "log", "--library-path", "target", "sh", "-c", f"cd / && {program}"), 0, "facade\n")
    lines = [json.loads(line) for line in open(world.path("log"), encoding="utf-8")]
    mine = [line for line in lines if line["type"] == "search" and line["name"] == OLD]
    check([{**line, "pid": 0} for line in mine] == [{"type": "search", "pid": 0, "name": OLD, "outcome": "facade",
                                                     "path": os.path.join(world.facades, OLD)}], str(lines))


@case
def a_facade_without_a_target_is_told_of_once_where_findings_go(world):
    old_program(world)
    opener, nowhere = world.opener(), {"GANGWAY_CUBLAS": world.path("empty")}
    twice = ["sh", "-c", f"exec {world.path('twice')}"]
    world.cc("twice", f'#include <dlfcn.h>\nint main(void) {{ return dlopen("{OLD}", 1) || dlopen("{OLD}", 1); }}\n')
    result = world.run("run", "--log", "log", "--findings", "findings", *twice, env=nowhere)
    expect(result, 0, "", f"gangway: error GW-310: {OLD} was not found")
    check(result.err.count("\n") == 1 and NEW in result.err and "; install a release of it" in result.err, str(result))
    check(open(world.path("findings"), encoding="utf-8").read() == result.err, str(result))
    lines = [json.loads(line) for line in open(world.path("log"), encoding="utf-8")]
    told = [line for line in lines if line["type"] == "finding"]
    check(len(told) == 1 and told[0]["code"] == "GW-310" and told[0]["severity"] == "error", str(lines))
    check(result.err == f"gangway: error GW-310: {told[0]['text']}; {told[0]['remedy']}\n", str(told))
    for options, env in ((["--quiet"], {}), ([], {"GANGWAY_QUIET": "1"}), (["--facades", "off"], {})):
        result = world.run("run", *options, *twice, env={**nowhere, **env})
        check(result.err == "" and result.status == 0, f"{options} {env}\n{result}")
    result = world.run("run", opener, "libneverwas.so.1", env=nowhere)
    check(result.err == "", str(result))
    result = world.run("run", "--library-path", "target", opener, OLD)
    check(result.err == "" and result.status == 0, str(result))
    result = world.run("run", opener, OLD, env=nowhere)
    check(f"is not in {world.path('empty')}, where GANGWAY_CUBLAS says" in result.err, str(result))


@case
def explain_names_what_each_facade_would_forward_to_and_what_is_set(world):
    target = world.answering("target/" + NEW, "target")
    world.facade(OLD)
    env = {"GANGWAY_CUBLAS": world.path("target"), "LD_LIBRARY_PATH": world.path("empty")}
    expect(world.run("run", "--explain", "true", env=env), 0, "", f"gangway: facade {OLD}: would forward to {target}\n")
    for name, value in env.items():
        expect(world.run("run", "--explain", "true", env=env), 0, "", f"gangway: {name}: {value}\n")
    wheel = world.answering("site/nvidia/any/lib/" + NEW, "wheel")
    expect(world.run("run", "--explain", "true", env={"GANGWAY_PYTHON_PATHS": world.path("site")}), 0, "",
           f"gangway: facade {OLD}: would forward to {wheel}\n")
    env["GANGWAY_CUBLAS"] = world.path("empty")
    expect(world.run("run", "--explain", "true", env=env), 0, "", f"gangway: facade {OLD}: nothing to forward to (looked for {NEW}")


@case
def a_misspelt_command_or_facade_is_told_what_there_is(world):
    for words, text in ((("rnu", "true"), "no command 'rnu'; did you mean 'run'?\n"), (("scna",), "did you mean 'scan'?\n"),
                        (("abi", "lst"), "no command 'abi lst'; did you mean 'abi list'?\n"), (("frobnicate",), "Usage: gangway"),
                        (("run", "--facades", "bogus", "true"), f"there is no facade 'bogus'; there are {OLD}, ")):
        expect(world.run(*words), 2, "", text)


@case
def help_and_version_answer_in_each_usual_spelling(world):
    for name in ("run", "scan", "abi"):
        texts = {world.run(*words).out for words in ((name, "--help"), (name, "-h"), ("help", name))}
        check(len(texts) == 1 and f"Usage: gangway {name}" in texts.pop(), name)
    check(world.run("help").out == world.run("--help").out != "", "help")
    check(world.run("version").out == world.run("--version").out != "", "version")


@case
def a_variable_that_names_no_directory_is_warned_of(world):
    for variable in ("GANGWAY_CUBLAS", "GANGWAY_CUDNN", "GANGWAY_LIBRARY_PATH"):
        env = {variable: f"{world.path('empty')}:/nowhere"}
        expect(world.run("run", "echo", "ran", env=env), 0, "ran\n",
               f"gangway: warning: {variable}: /nowhere is no directory; nothing will be found there\n")
        check(world.run("run", "--quiet", "true", env=env).err == "", variable)
        check(world.run("run", "true", env={variable: world.path("empty")}).err == "", variable)


@case
def a_missing_directory_of_the_library_path_is_named(world):
    expect(world.run("run", "--library-path", "empty:nowhere", "true"), 3, "", "--library-path nowhere: no such directory")


@case
def an_installation_behind_a_blank_is_refused_with_the_way_out(world):
    os.rename(world.path("prefix"), world.path("pre fix"))
    world.gangway = world.path("pre fix/bin/gangway")
    expect(world.run("run", "true"), 3, "", "cannot preload a path with a blank or colon")


@case
def an_incomplete_installation_is_named(world):
    os.remove(world.auditor)
    expect(world.run("run", "true"), 3, "", "libgangway-audit.so is not beside")
    expect(world.run("run", "--no-audit", "--quiet", "true"), 0, "")
    os.remove(world.shim)
    expect(world.run("run", "true"), 3, "", "libgangway.so is neither")


@case
def a_static_program_runs_and_is_told_of(world):
    program = world.cc("static", "int main(void) { return 7; }\n", "-static")
    expect(world.run("run", program), 7, "", "is linked statically")
    result = world.run("run", "--quiet", program)
    check(result.status == 7 and not result.err, str(result))


@case
def a_program_of_another_class_is_told_of(world):
    # No 32-bit compiler is needed: an i386 program that is one system call, exit(5), written out.
    code = bytes.fromhex("b801000000bb05000000cd80")
    base, size = 0x08048000, 52 + 32
    header = (b"\x7fELF\x01\x01\x01" + bytes(9) + (2).to_bytes(2, "little") + (3).to_bytes(2, "little") +
              (1).to_bytes(4, "little") + (base + size).to_bytes(4, "little") + (52).to_bytes(4, "little") + bytes(8) +
              (52).to_bytes(2, "little") + (32).to_bytes(2, "little") + (1).to_bytes(2, "little") + bytes(6))
    segment = b"".join(v.to_bytes(4, "little") for v in (1, 0, base, base, size + len(code), size + len(code), 5, 4096))
    program = world.write("small", "")
    with open(program, "wb") as file:
        file.write(header + segment + code)
    os.chmod(program, 0o755)
    result = world.run("run", program)
    check("is a 32-bit program" in result.err, str(result))
    check(result.status in (5, 126), str(result))  # 126 where the kernel runs no 32-bit programs


@case
def a_set_user_id_program_is_refused(world):
    if os.getuid() != 0:  # only root can make a file somebody else's: use the system's own
        program = next(p for p in ("/usr/bin/su", "/bin/su", "/usr/bin/passwd") if os.path.exists(p))
        expect(world.run("run", program), 3, "", "runs with other rights than yours")
        return
    program = world.cc("other", "int main(void) { return 0; }\n")
    os.chown(program, 65534, -1)
    os.chmod(program, 0o4755)
    expect(world.run("run", program), 3, "", "runs with other rights than yours")


@case
def a_preload_that_is_there_stays(world):
    own = world.library("own/libown.so", '#include <stdio.h>\n__attribute__((constructor)) static void f(void)'
                                         ' { fputs("own\\n", stderr); }\n')
    result = world.run("run", "sh", "-c", "echo $LD_PRELOAD; echo $LD_AUDIT", env={"LD_PRELOAD": own, "LD_AUDIT": ""})
    expect(result, 0, f"{world.shim}:{own}\n{world.auditor}\n", "own\n")


@case
def run_inside_run_sets_nothing_twice(world):
    expect(world.run("run", world.gangway, "run", "sh", "-c", "echo $LD_PRELOAD; echo $LD_AUDIT"), 0,
           f"{world.shim}\n{world.auditor}\n")


@case
def without_the_auditor_run_says_what_is_not_covered(world):
    result = world.run("run", "--no-audit", "sh", "-c", "echo $LD_PRELOAD:$LD_AUDIT")
    expect(result, 0, f"{world.shim}:\n", "DT_NEEDED")
    result = world.run("run", "--no-audit", "--quiet", "true")
    check(result.status == 0 and not result.err, str(result))


@case
def without_the_auditor_a_facade_asked_for_by_name_answers_the_library_path(world):
    program = old_program(world)
    os.makedirs(world.path("runtime"), 0o700)
    env = {"XDG_RUNTIME_DIR": world.path("runtime"), "LD_LIBRARY_PATH": world.path("real")}
    for _ in range(2):
        expect(world.run("run", "--no-audit", "--facades", OLD, program, env=env), 0, "facade\n", "hide a library")
    check(len(os.listdir(world.path("runtime"))) == 1, str(os.listdir(world.path("runtime"))))
    world.answering("real/" + OLD, "real")
    expect(world.run("run", "--no-audit", "--facades", OLD, program, env=env), 0, "real\n")
    os.chmod(world.path("runtime/" + os.listdir(world.path("runtime"))[0]), 0o777)
    expect(world.run("run", "--no-audit", "--facades", OLD, program, env=env), 3, "", "yours alone")


@case
def explain_tells_each_search(world):
    program = old_program(world)
    expect(world.run("run", "--explain", "--library-path", "target", program), 0, "facade\n",
           f"gangway: {OLD} is nowhere here; the facade answers: {world.facades}/{OLD}\n")


# ---- which file answers

@case
def without_gangway_the_program_does_not_start(world):
    program = old_program(world)
    expect(world.bare(program), 127, "")


@case
def a_facade_answers_a_needed_name_that_is_nowhere(world):
    expect(world.run("run", "--library-path", "target", old_program(world)), 0, "facade\n")


@case
def a_facade_of_a_newer_name_answers_where_only_an_older_library_is(world):
    """And the newest where both are. (13 may be in the loader's cache of the machine, 12 beside it is rare.)"""
    middle = "libcublas.so.12"
    program = world.needing("program", world.answering("build/" + middle, "real"))
    world.facade(middle)
    for target in OLD, NEW:
        world.answering("target/" + target, "target")
        result = world.run("run", "--explain", "--library-path", "target", program, env={"GANGWAY_CUBLAS": world.path("target")})
        expect(result, 0, "facade\n", f"gangway: facade {middle}: would forward to {world.path('target')}/{target}\n")


@case
def a_facade_answers_a_dlopened_name_that_is_nowhere(world):
    old_program(world)
    expect(world.run("run", "--library-path", "target", world.opener(), OLD), 0, "facade\n")


@case
def a_facade_answers_what_a_dlopened_library_needs(world):
    library = world.answering("build/" + OLD, "real")
    world.library("plugin/libplugin.so.1", "const char *who(void);\n", library)
    old_program(world)
    expect(world.run("run", "--library-path", "target", world.opener(), world.path("plugin/libplugin.so.1")), 0,
           "facade\n")


@case
def a_probe_stays_a_probe_where_there_is_nothing_to_forward_to(world):
    old_program(world)
    result = world.run("run", world.opener(), OLD, env={"GANGWAY_CUBLAS": world.path("empty")})
    expect(result, 1, f"no: {OLD}: cannot open shared object file: No such file or directory\n")


@case
def a_facade_that_is_asked_for_by_name_needs_no_target(world):
    program = old_program(world)
    env = {"GANGWAY_CUBLAS": world.path("empty")}
    expect(world.run("run", "--facades", OLD, program, env=env), 0, "facade\n")
    world.facade(OLD_LT)
    expect(world.run("run", f"--facades={OLD_LT},{OLD}", program, env=env), 0, "facade\n")
    expect(world.run("run", "--facades", OLD_LT, program, env=env), 127, "")


@case
def facades_off_offers_none(world):
    expect(world.run("run", "--facades", "off", "--library-path", "target", old_program(world)), 127, "", OLD)


@case
def a_real_library_wins_over_the_facade(world):
    world.answering("real/" + OLD, "real")
    ways = {
        "runpath": ["-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN/real"],
        "rpath": ["-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/real"],
    }
    for way, flags in ways.items():
        result = world.run("run", "--library-path", "target", old_program(world, *flags))
        check(result.status == 0 and result.out == "real\n", f"{way}\n{result}")
    plain = old_program(world)
    for opened in ([plain], [world.opener(), OLD]):
        expect(world.run("run", "--library-path", "target", *opened, env={"LD_LIBRARY_PATH": world.path("real")}), 0,
               "real\n")


@case
def an_inherited_rpath_finds_the_real_library(world):
    real = world.answering("real/" + OLD, "real")
    world.library("plugin/libplugin.so.1", "const char *who(void);\n", real)
    old_program(world)
    opener = world.opener("opener", "-Wl,--disable-new-dtags", "-Wl,-rpath," + world.path("real"))
    expect(world.run("run", "--library-path", "target", opener, world.path("plugin/libplugin.so.1")), 0, "real\n")
    opener = world.opener("opener", "-Wl,--enable-new-dtags", "-Wl,-rpath," + world.path("real"))
    expect(world.run("run", "--library-path", "target", opener, world.path("plugin/libplugin.so.1")), 0, "facade\n")


@case
def a_library_keeps_its_own_runpath(world):
    world.answering("lib/libpart.so.1", "part")
    world.library("lib/libfront.so.1", '#include <dlfcn.h>\nconst char *who(void)\n{\n'
                  '\tvoid *h = dlopen("libpart.so.1", RTLD_NOW);\n\treturn h ? "part found" : "part lost";\n}\n',
                  "-ldl", "-Wl,-rpath,$ORIGIN")
    for options in ([], ["--no-audit", "--quiet"]):
        expect(world.run("run", *options, world.opener(), world.path("lib/libfront.so.1")), 0, "part found\n")


def own_auditor(world, soname):
    """The auditor, told of a facade for SONAME, which every machine has in its cache and default directories."""
    table = ('const struct gw_audit_facade gw_audit_facades[] = {\n'
             '\t{"%s", "x", "GANGWAY_X", (const char *const[]){"%s", NULL}},\n\t{NULL, NULL, NULL, NULL},\n};\n')
    world.write("table/audit_table.h", table % (soname, NEW))
    shim = os.path.join(world.source, "shim")
    names = ("copies.c", "directory_list.c", "elf_file.c", "image.c", "partners.c")
    sources = [*sorted(glob.glob(os.path.join(shim, "audit*.c"))), *(os.path.join(shim, name) for name in names), os.path.join(world.generated, "gw_findings.c")]
    world.cc("own-audit.so", "", "-shared", "-fPIC", "-D_GNU_SOURCE", "-I" + world.path("table"), "-I" + shim, "-I" + world.generated,
             "-I" + os.path.dirname(world.built_auditor), "-ffreestanding",
             "-fno-stack-protector", "-fvisibility=hidden", "-nostdlib", *sources)
    os.replace(world.path("own-audit.so"), world.auditor)


@case
def a_real_library_in_the_cache_or_a_default_directory_wins(world):
    soname = "libm.so.6"
    own_auditor(world, soname)
    world.facade(soname)
    world.answering("target/" + NEW, "target")
    opener = world.opener()
    loader = "/lib64/ld-linux-x86-64.so.2"
    for program in ([opener], [loader, opener], [loader, "--inhibit-cache", opener]):
        expect(world.run("run", "--library-path", "target", *program, soname), 0, "opened\n")
    # The same facade does answer when the name is one that the machine lacks.
    own_auditor(world, "libgw-nowhere.so.6")
    world.facade("libgw-nowhere.so.6")
    expect(world.run("run", "--library-path", "target", loader, "--inhibit-cache", opener, "libgw-nowhere.so.6"), 0,
           "facade\n")


@case
def a_facade_is_not_mixed_with_a_real_partner(world):
    real = world.answering("real/" + OLD_LT, "real", "lt")
    world.facade(OLD_LT, "lt")
    program = old_program(world)
    env = {"LD_LIBRARY_PATH": world.path("real")}
    result = world.run("run", "--explain", "--library-path", "target", program, env=env)
    expect(result, 127, "", "a real library of its suite and major is here")
    both = world.needing("both", real, world.path("build/" + OLD), "-Wl,-rpath," + world.path("real"), function="lt")
    expect(world.run("run", "--explain", "--library-path", "target", both), 127, "", "do not mix")
    expect(world.run("run", "--library-path", "target", both, env={"LD_LIBRARY_PATH": world.path("build")}), 0, "real\n")


@case
def both_facades_of_a_suite_come_together(world):
    lt = world.answering("build/" + OLD_LT, "real", "lt")
    world.facade(OLD_LT, "lt")
    old_program(world)
    world.answering("target/libcublasLt.so.13", "target")
    both = world.needing("both", lt, world.path("build/" + OLD), function="lt")
    expect(world.run("run", "--library-path", "target", both), 0, "facade\n")


@case
def nothing_is_offered_where_the_shim_is_not_preloaded(world):
    program = old_program(world)
    env = {"LD_AUDIT": world.auditor, "GANGWAY_FACADE_DIR": world.facades, "GANGWAY_FACADES": OLD,
           "GANGWAY_EXPLAIN": "1"}
    expect(world.bare(program, env=env), 127, "", "libgangway.so is not preloaded")


@case
def shells_forks_and_children_are_served_as_well(world):
    program = old_program(world)
    expect(world.run("run", "--library-path", "target", "sh", "-c", f"{program}; ({program}) | cat; exec {program}"), 0,
           "facade\n" * 3)
    expect(world.run("run", "--library-path", "target", sys.executable, "-c",
                     f"import os, subprocess\nprint(subprocess.check_output([{program!r}], text=True), end='', "
                     f"flush=True)\npid = os.fork()\nif not pid: os.execv({program!r}, ['p'])\n"
                     "print(os.waitpid(pid, 0)[1])"), 0, "facade\nfacade\n0\n")


@case
def another_namespace_is_left_alone(world):
    library = world.answering("build/" + OLD, "real")
    old_program(world)
    plugin = world.library("plugin/libplugin.so.1", "const char *who(void);\n", library)
    program = world.cc("spaces", '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\nint main(void)\n{\n'
                       f'\tvoid *own = dlmopen(LM_ID_NEWLM, "{plugin}", RTLD_NOW);\n'
                       '\tif (!own)\n\t\tputs(dlerror());\n'
                       '\tprintf("%d\\n", dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW) != NULL);\n'
                       f'\tprintf("%d\\n", dlopen("{OLD}", RTLD_NOW) != NULL);\n\treturn 0;\n}}\n', "-ldl")
    expect(world.run("run", "--library-path", "target", program), 0,
           f"{OLD}: cannot open shared object file: No such file or directory\n1\n1\n")


@case
def threads_that_open_and_close_at_once_all_get_the_facade(world):
    old_program(world)
    program = world.cc("threads", '#include <dlfcn.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <string.h>\n'
                       'static void *work(void *lost)\n{\n\tfor (int i = 0; i < 300; i++) {\n'
                       f'\t\tvoid *handle = dlopen("{OLD}", RTLD_NOW);\n'
                       '\t\tconst char *(*who)(void) = handle ? (const char *(*)(void))dlsym(handle, "who") : NULL;\n\n'
                       '\t\tif (!who || strcmp(who(), "facade") != 0)\n'
                       '\t\t\t__atomic_add_fetch((int *)lost, 1, __ATOMIC_RELAXED);\n\t\tif (handle)\n'
                       '\t\t\tdlclose(handle);\n\t\tif (dlopen("libgw-never.so.1", RTLD_NOW))\n\t\t\treturn NULL;\n'
                       '\t}\n\treturn NULL;\n}\nint main(void)\n{\n\tpthread_t thread[8];\n\tint lost = 0;\n\n'
                       '\tfor (int i = 0; i < 8; i++)\n\t\tpthread_create(&thread[i], NULL, work, &lost);\n'
                       '\tfor (int i = 0; i < 8; i++)\n\t\tpthread_join(thread[i], NULL);\n'
                       '\tprintf("%d lost\\n", lost);\n\treturn 0;\n}\n', "-ldl", "-pthread")
    expect(world.run("run", "--library-path", "target", "--log", "log", program), 0, "0 lost\n")
    lines = [json.loads(line) for line in open(world.path("log"), encoding="utf-8")]
    told = [(line["name"], line["outcome"]) for line in lines if line["type"] == "search"]
    check(sorted(told) == [(OLD, "facade"), ("libgw-never.so.1", "missing")], str(told[:10]))


# ---- the Python paths

def python_site(world, name="site", package="cublas", soname=OLD, answer="wheel"):
    world.answering(f"{name}/nvidia/{package}/lib/{soname}", answer)
    return world.path(name)


@case
def a_real_library_of_the_python_paths_wins_over_the_facade(world):
    program = old_program(world)
    expect(world.run("run", "--python", python_site(world), "--library-path", "target", program), 0, "wheel\n")
    expect(world.run("run", "--python", python_site(world), "--facades", "off", program), 0, "wheel\n")


@case
def a_library_of_the_python_paths_keeps_its_name_and_origin(world):
    world.answering("site/nvidia/front/lib/libpart.so.7", "part")
    world.library("site/nvidia/front/lib/libfront.so.7", "const char *who(void);\n",
                  world.path("site/nvidia/front/lib/libpart.so.7"), "-Wl,-rpath,$ORIGIN")
    result = world.run("run", "--python", "site", world.opener(), "libfront.so.7", "path")
    expect(result, 0, "part\n" + world.path("site/nvidia/front/lib/libpart.so.7") + "\n")


@case
def nothing_on_the_python_paths_beats_what_the_loader_finds(world):
    site = python_site(world)
    world.answering("real/" + OLD, "real")
    plain = old_program(world)
    expect(world.run("run", "--python", site, plain, env={"LD_LIBRARY_PATH": world.path("real")}), 0, "real\n")
    for tags in ("enable", "disable"):
        program = old_program(world, f"-Wl,--{tags}-new-dtags", "-Wl,-rpath,$ORIGIN/real")
        expect(world.run("run", "--python", site, program), 0, "real\n")
    python_site(world, "site", "m", "libm.so.6")
    result = world.run("run", "--python", site, world.opener(), "libm.so.6")
    expect(result, 0, "opened\n")


@case
def several_different_files_of_the_python_paths_answer_nothing(world):
    one, two = python_site(world, "one"), python_site(world, "two", answer="another wheel")
    program = old_program(world)
    expect(world.run("run", "--python", one, "--python", two, "--facades", "off", "--explain", program), 127, "",
           "several different files of that name")
    expect(world.run("run", "--python", one, "--python", two, "--library-path", "target", program), 0, "facade\n")
    # A copy is no other file, nor is a file that is reached in two ways.
    python_site(world, "two")
    expect(world.run("run", "--python", one, "--python", two, "--facades", "off", program), 0, "wheel\n")
    os.remove(world.path(f"two/nvidia/cublas/lib/{OLD}"))
    os.symlink(world.path(f"one/nvidia/cublas/lib/{OLD}"), world.path(f"two/nvidia/cublas/lib/{OLD}"))
    expect(world.run("run", "--python", one, "--python", two, "--facades", "off", program), 0, "wheel\n")


@case
def a_wheel_with_the_target_lets_the_facade_answer(world):
    program = old_program(world)
    site = python_site(world, "site", "cu13", NEW)
    env = {"GANGWAY_LIBRARY_PATH": ""}
    expect(world.run("run", "--python", site, program, env=env), 0, "facade\n")


@case
def the_site_packages_of_an_environment_are_found(world):
    python_site(world, "venv/lib/python3.11/site-packages")
    os.makedirs(world.path("venv/bin"))
    os.symlink(os.path.realpath(sys.executable), world.path("venv/bin/python"))
    world.write("venv/pyvenv.cfg", f"home = {os.path.dirname(os.path.realpath(sys.executable))}\n"
                                   "include-system-site-packages = false\n")
    world.write("tool", f"#!{world.path('venv/bin/python')}\nimport ctypes\nlib = ctypes.CDLL('{OLD}')\n"
                        "lib.who.restype = ctypes.c_char_p\nprint(lib.who().decode())\n", 0o755)
    world.write("by-env", "#!/usr/bin/env -S python\n" + open(world.path("tool")).read().split("\n", 1)[1], 0o755)
    old_program(world)
    expect(world.run("run", "./tool"), 0, "wheel\n")
    expect(world.run("run", "venv/bin/python", "tool"), 0, "wheel\n")
    path = world.path("venv/bin") + ":" + os.environ["PATH"]
    expect(world.run("run", "./by-env", env={"PATH": path}), 0, "wheel\n")
    expect(world.run("run", "sh", "-c", "python tool", env={"PATH": path, "VIRTUAL_ENV": world.path("venv")}), 0,
           "wheel\n")


@case
def pythonpath_and_the_user_site_count(world):
    python_site(world)
    program = old_program(world)
    expect(world.run("run", "--facades", "off", program, env={"PYTHONPATH": "nowhere:" + world.path("site")}), 0, "wheel\n")
    version = "%d.%d" % sys.version_info[:2]
    python_site(world, f"base/lib/python{version}/site-packages")
    env = {"PYTHONUSERBASE": world.path("base")}
    script = f"import ctypes; ctypes.CDLL('{OLD}'); print('loaded')"
    real = os.path.realpath(sys.executable)
    expect(world.run("run", "--facades", "off", real, "-c", script, env=env), 0, "loaded\n")
    expect(world.run("run", "--facades", "off", real, "-c", script, env={**env, "PYTHONNOUSERSITE": "1"}), 1, "")


if __name__ == "__main__":
    main()
