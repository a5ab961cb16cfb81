# SPDX-License-Identifier: Apache-2.0
"""`gangway explain`: what a finding means, from the installed list."""
import json

from harness import case, check, main, registry

FINDINGS = registry.findings()
TWO = """finding GW-301 error ONE
cause it broke
remedy mend it
text It was whole.
example gangway: error GW-301: it broke; mend it
cure mend it
retired GW-317 warning was told of what cannot happen any more
"""


def expect(result, status, out, err=""):
    check((result.status, result.out, result.err) == (status, out, err), f"expected {status}\n{out}{err}\nbut {result}")


@case
def each_code_is_explained_with_all_that_the_registry_says(world):
    for f in FINDINGS.values():
        result = world.run("explain", f.code)
        if f.retired:
            expect(result, 0, f"{f.code} ({f.severity}) is retired, and told no more: {f.retired}\n")
            continue
        parts = [f"{f.code} {f.severity}: {f.cause}", f"Remedy: {f.remedy}", "", *f.text, "", "It looks like this:", "",
                 *("    " + line for line in f.examples), "", "To end it:", "", *("    " + line for line in f.cures), ""]
        expect(result, 0, "\n".join(parts))


@case
def a_code_may_be_written_in_short_and_several_be_asked_for(world):
    first = world.run("explain", "GW-303").out
    for short in "303", "gw-303", "GW303":
        expect(world.run("explain", short), 0, first)
    expect(world.run("explain", "303", "310"), 0, first + "\n\n" + world.run("explain", "310").out)


@case
def without_a_code_all_are_listed(world):
    lines = world.run("explain").out.splitlines()
    check(lines == [f"{f.code}  {'retired' if f.retired else f.severity:8} {f.retired or f.cause}" for f in FINDINGS.values()], "\n".join(lines))


@case
def as_json_it_says_the_same(world):
    every = json.loads(world.run("explain", "--json").out)["findings"]
    check(every == [{"code": f.code, "severity": f.severity, "retired": False, "cause": f.cause, "remedy": f.remedy, "text": "\n".join(f.text),
                     "examples": f.examples, "cures": f.cures} for f in FINDINGS.values() if not f.retired], str(every))
    check(json.loads(world.run("explain", "--json", "310", "301").out)["findings"] == [f for code in ("GW-310", "GW-301") for f in every if f["code"] == code], "")


@case
def an_unknown_code_is_one_error_that_names_the_nearest(world):
    numbers = sorted(int(code[3:]) for code in FINDINGS)
    for asked in 0, 104, 200, 999:
        near = [f"GW-{n}" for n in sorted(sorted(numbers, key=lambda n, asked=asked: (abs(n - asked), n))[:3])]
        if f"GW-{asked:03}" not in FINDINGS:
            expect(world.run("explain", "303", f"{asked:03}"), 2, "",
                   f"gangway: no finding GW-{asked:03}; the nearest are {near[0]}, {near[1]} and {near[2]}; `gangway explain` lists all\n")
    for word in "absent", "", "30", "3030", "GW-", "-1":
        result = world.run("explain", word) if word != "-1" else world.run("explain", "--", word)
        expect(result, 2, "", f"gangway: '{word}' is no finding's code, such as GW-303; `gangway explain` lists all\n")
    expect(world.run("explain", "--xml"), 2, "", "gangway: explain: --xml is no option, or takes no value; `gangway explain --help` lists the options\n")


@case
def a_retired_code_says_so(world):
    world.write("prefix/share/gangway/findings", TWO)
    expect(world.run("explain", "317"), 0, "GW-317 (warning) is retired, and told no more: was told of what cannot happen any more\n")
    expect(world.run("explain"), 0, "GW-301  error    it broke\nGW-317  retired  was told of what cannot happen any more\n")
    check(json.loads(world.run("explain", "--json", "317").out) == {"findings": [
        {"code": "GW-317", "severity": "warning", "retired": True, "text": "was told of what cannot happen any more"}]}, "")
    expect(world.run("explain", "302"), 2, "", "gangway: no finding GW-302; the nearest are GW-301 and GW-317; `gangway explain` lists all\n")


@case
def a_list_that_cannot_be_read_is_an_error_with_its_place(world):
    path = world.write("prefix/share/gangway/findings", TWO.replace("error ONE", "bad ONE"))
    result = world.run("explain", "301")
    check(result.status == 3 and result.out == "" and result.err.endswith("/share/gangway/findings:1:16: 'bad' is no severity: note, warning or error\n"), str(result))
    world.write("prefix/share/gangway/findings", "")
    expect(world.run("explain", "301"), 2, "", "gangway: no finding GW-301: the list of findings is empty\n")
    check(path, "")


if __name__ == "__main__":
    main()
