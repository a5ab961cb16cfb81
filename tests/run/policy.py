# SPDX-License-Identifier: Apache-2.0
"""`gangway policy`, and the policy of `gangway run`."""
from harness import case, check, main

GOOD = """# what we know of
rescue * off release=..12.9
rescue int8-order on function=cublasLtMatmul family=cublasLt arch=90 m=1..64 n=4096 k=32.. batch=1	# small ones
deny 21 skip release=13.0.0..13.1 arch=80..89
"""


def write(world, text):
    return world.write("policy", text)


@case
def a_policy_is_printed_as_it_was_understood(world):
    path = write(world, GOOD)
    result = world.run("policy", "check", path)
    check((result.status, result.err) == (0, ""), result)
    check(result.out.splitlines() == [
        f"{path}:2: rescue * off release=..12.9",
        f"{path}:3: rescue int8-order on function=cublasLtMatmul family=cublasLt arch=90 m=1..64 n=4096 k=32.. batch=1",
        f"{path}:4: deny 21 skip release=13..13.1 arch=80..89",
        f"{path}: 3 lines"], result.out)


@case
def each_wrong_line_is_told_with_its_line_and_column(world):
    for text, line, column, why in (
            ("rescue int8-ordr on\n", 1, 8, "no rescue of that name"),
            ("\nrescue * of\n", 2, 10, "here `on` or `off` belongs"),
            ("rescue *\n", 1, 9, "here `on` or `off` belongs"),
            ("  tune * on\n", 1, 3, "no such line"),
            ("rescue * on arch=x\n", 1, 18, "no number or range"),
            ("rescue * on arch=90..80\n", 1, 18, "no number or range"),
            ("rescue * on arch=..\n", 1, 18, "no number or range"),
            ("rescue * on m=1 m=2\n", 1, 17, "this condition stands twice"),
            ("rescue * on release=13.x\n", 1, 21, "no release or range"),
            ("rescue * on function=cublasGemmEx\n", 1, 22, "no function that is ever done otherwise"),
            ("rescue * on family=cufft\n", 1, 20, "no family"),
            ("rescue * on gpu=90\n", 1, 13, "no such condition"),
            ("rescue * on please\n", 1, 13, "here a condition belongs"),
            ("deny 21 refuse\n", 1, 9, "here `warn`, `skip` or `off` belongs"),
            ("deny algorithm skip\n", 1, 6, "here the number of an algorithm belongs"),
            ("rescue * on m=99999999999999999999\n", 1, 15, "no number or range"),
            ("rescue * on\n" * 129, 129, 1, "more lines than the 128")):
        path = write(world, text)
        result = world.run("policy", "check", path)
        check(result.status == 1 and result.out == "", result)
        check(result.err.startswith(f"gangway: {path}:{line}:{column}: {why}") and result.err.count("\n") == 1, (text[:40], result.err))


@case
def a_file_that_cannot_be_read_and_wrong_usage_have_their_own_status(world):
    check(world.run("policy", "check", "/nowhere/policy").status == 3, "status")
    for arguments in ([], ["check"], ["lost"], ["list", "more"], ["--lost"]):
        result = world.run("policy", *arguments)
        check(result.status == 2 and result.err.count("\n") == 1, result)


@case
def the_rescues_are_listed(world):
    result = world.run("policy", "list")
    check(result.status == 0 and "int8-order           cublasLtMatmul\n" in result.out, result)


@case
def run_explains_the_policy_in_force_and_refuses_a_wrong_one(world):
    path = write(world, GOOD)
    result = world.run("run", "--explain", "--policy", path, "--", "/bin/sh", "-c", "echo $GANGWAY_POLICY", env={"GANGWAY_RESCUE": "-stale-algo"})
    check(result.status == 0 and result.out == path + "\n", result)
    for line in ("policy: rescue * on, by default", "policy: rescue * off release=..12.9 (line 2)", "policy: rescue stale-algo off (GANGWAY_RESCUE)"):
        check("gangway: " + line + "\n" in result.err, (line, result.err))
    result = world.run("run", "--policy", write(world, "rescue\n"), "--", "/bin/true")
    check(result.status == 2 and ":1:7: " in result.err, result)


if __name__ == "__main__":
    main()
