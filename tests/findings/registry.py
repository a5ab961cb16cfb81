# SPDX-License-Identifier: Apache-2.0
"""Reads abi/findings, and compares messages that a program wrote with the examples that stand there.

A message has the shape of an example when both are the same but for what depends on the case: files, names, numbers, and, for the codes
in FREE, one part that is somebody else's words.
"""
import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MESSAGE = re.compile(r"^(?:gangway: (?P<severity>note|warning|error) (?P<code>GW-\d{3}): |    (?P<code2>GW-\d{3}) (?P<severity2>note|warning|error): )")
FREE = {
    "GW-101": r"(?<=error: )[^,]+(?=, which NEEDER)|(?<=pip install )[^ ,]+",
    "GW-103": r"(?<=error: )\S+(?= is imported)",
    "GW-104": r"(?<=GW-N error: ).*?(?=, which NEEDER needs)",
    "GW-106": r"(?<= directories ).*(?=, and their)",
    "GW-110": r"(?<=version `)[^']+",
    "GW-111": r"(?<= needs )[^,]+(?=, which)|(?<= lacks).*(?=: undefined)|(?<=undefined symbol ).*?(?=: )",
    "GW-112": r"(?<= needs )[^,]+(?=, which)|(?<= lacks).*(?=: undefined)|(?<=undefined symbol ).*?(?=: )",
    "GW-113": r"(?<= needs )[^,]+(?=, which)",
    "GW-114": r"(?<= needs )\S+(?= of it)|(?<=with version )[^:]+",
    "GW-115": r"(?<=is release N )\(.*\)(?=: they)",
    "GW-117": r"(?<=warning: )\S+(?=, which)|(?<=who loads )\S+",
    "GW-118": r"(?<= needs )[^,]+(?=, which)",
    "GW-119": r"(?<= needs )[^,]+(?=, which)",
    "GW-120": r"(?<=is not as ).*(?=: install )",
    "GW-122": r"(?<=lacks beside it: ).*?(?=: install )",
    "GW-125": r"(?<=found by ).*?(?=; )",
    "GW-126": r"(?<=found by ).*?(?=; )",
    "GW-127": r"(?<=found by ).*(?=: take )",
    "GW-129": r"(?<=GW-N error: ).*(?=: restore )",
    "GW-160": r"(?<=GW-N error: ).*(?= runs CUDA )|(?<=and the driver's maximum is ).*(?=: install )",
    "GW-161": r"(?<=GW-N note: ).*(?= runs CUDA )|(?<=and the driver's maximum is ).*(?=: nothing)",
    "GW-162": r"(?<=found by ).*?(?=, and the kernel)",
    "GW-163": r"(?<=found by ).*?(?=, and this is WSL)",
    "GW-165": r"(?<=GW-N error: ).*(?= of FILE would)|(?<=would not find ).*(?=, which FILE needs)|(?<=needs: ).*",
    "GW-166": r"(?<=GW-N warning: ).*(?= of FILE would)|(?<=would not find ).*(?=, which FILE wants)|(?<=wants: ).*",
    "GW-167": r"(?<=GW-N warning: )\w+(?= of FILE)|(?<=was built for ).*(?=, and gets)|(?<=, by ).*?(?=: install )",
    "GW-168": r"(?<=GW-N error: FILE).*(?=, would get)|(?<=, would get FILE, ).*(?=, found by)|(?<=found by ).*?(?=, which lacks|, and their)|(?<= which lacks ).*(?=: put |: install)",
    "GW-169": r"(?<=GW-N warning: )\w+(?= of FILE)|(?<=found by ).*?(?=, which was)",
    "GW-170": r"(?<=FILE).*(?= has neither)|(?<= PTX for ).*(?=, whose)",
    "GW-171": r"(?<=FILE).*(?= has no kernels)|(?<= kernels for ).*(?=, whose)|(?<= maximum is ).*(?=: install )",
    "GW-185": r"(?<=: step ).*(?=: compare with)",
    "GW-186": r"(?<=: step ).*(?=: look up)",
    "GW-187": r"(?<=: step ).*(?=: run the)",
    "GW-188": r"(?<=: step ).*(?=: give it)",
    "GW-189": r"(?<=: step ).*(?=: install)",
    "GW-190": r"(?<=could not run: ).*(?=: run it where)",
    "GW-191": r"(?<=: step ).*(?=; both are)",
    "GW-140": r"(?<=error: ).*?(?=, which )|(?<=, which )\S+(?= opens)|(?<=looked for ).*?(?=: )|(?<=pip install )(?:'[^']*'|[^\s,]+)",
    "GW-141": r"(?<=warning: ).*?(?=, which )|(?<=, which )\S+(?= opens)|(?<=looked for ).*?(?=: )|(?<=pip install )(?:'[^']*'|[^\s,]+)",
    "GW-142": r"(?<=, which )\S+(?= opens)",
    "GW-143": r"(?<=, which )\S+(?= opens)",
    "GW-144": r"(?<=pip install )'[^']*'",
    "GW-145": r"(?<=pip install )\S+",
    "GW-146": r"(?<=pip install )[^;]+",
    "GW-147": r"(?<=static copy of ).*?(?=;|: )",
    "GW-148": r"(?<=not its own: ).*(?=: nothing)",
    "GW-149": r"(?<=it lacks ).*(?=: install )|(?<=pip install ).*",
    "GW-150": r"(?<=sm_)\d+|\((?:--driver|FILE)\)(?= compiles)",
    "GW-151": r"\((?:--driver|FILE)\)(?= compiles)",
    "GW-152": r"(?<=sm_)\d+|\(kernels for .*?\)",
    "GW-153": r"(?<=pip install )\S+",
    "GW-302": r"(?<=cannot be used: ).*(?=; make )",
    "GW-303": r"the program was told 'not supported'|it was answered N",
    "GW-308": r"(?<=the log ).*(?=; the program goes on)",
    "GW-316": r"(?<=by gangway: ).*(?=; change )",
    "GW-318": r"(?<=called with )\w+",
    "GW-319": r"(?<=has no such function, and ).*(?=; install )",
    "GW-320": r"(?<=obeyed: ).*(?= at character)",
    "GW-346": r"(?<=the loader said: ).*(?=; `gangway scan`)",
    "GW-390": r"(?<=was refused: ).*(?= \(rescue )|(?<=\(rescue )[a-z0-9-]+",
    "GW-392": r"(?<=error GW-N: )GANGWAY_\w+(?= is not)|(?<=column N: ).*(?=; `gangway)|(?<=TEXT: ).*(?=; `gangway)",
    "GW-391": r"(?<=it otherwise: ).*(?= \(rescue )|(?<=\(rescue )[a-z0-9-]+",
}
Finding = collections.namedtuple("Finding", "code severity name retired cause remedy text examples cures")


def findings(path=os.path.join(ROOT, "abi", "findings")):
    """{code: Finding}"""
    blocks = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            word, _, rest = line.partition(" ")
            if word in ("finding", "retired"):
                blocks.append(collections.defaultdict(list, {word: rest.split(" ", 2)}))
            elif line and word[0] != "#":
                blocks[-1][word].append(rest)
    found = {}
    for block in blocks:
        code, severity, rest = block["finding"] or block["retired"]
        found[code] = Finding(code, severity, None if block["retired"] else rest, rest if block["retired"] else None, "".join(block["cause"]),
                              "".join(block["remedy"]), block["text"], block["example"], block["cure"])
    return found


def shape(code, message):
    for pattern, word in (
            (r"(?<=, which )\S+(?= needs)", "NEEDER"),
            (r'"[^"]*"', "TEXT"),
            (r"(?<![\w.<])/[^\s;,:)\"']+", "FILE"),
            (r"\blib\w+\.so[\w.]*", "FILE"),
            (r"(?<=GW-304: )\S+(?= of FILE)", "NAME"),
            (r"(?<=GW-309: )\S+(?= is opened)", "FILE"),
            (r"\b(?:cublas|cudnn|cudart|cusparse|CUBLAS|CUDNN)\w*", "NAME"),
            (r"\b\d+(?:\.\d+)*\b", "N"),
            (r"\bN to N\b", "N"),
            (r"(?<=NAME has it ).*$", "RANGE"),
            (r" \(NAME N or near it\)|(?<=FILE) \(N\)", ""),
            (r"FILE(?:(?:,| and| or| nor) FILE)+", "FILE")):
        message = re.sub(pattern, word, message)
    return re.sub(FREE[code], "…", message) if code in FREE else message


def check(written):
    """Raises AssertionError for the first finding in WRITTEN that looks like none of its code's examples. Returns the codes that were told."""
    known, told = findings(), []
    for line in written.splitlines():
        match = MESSAGE.match(line)
        if not match:
            continue
        code, severity = match["code"] or match["code2"], match["severity"] or match["severity2"]
        finding = known.get(code)
        assert finding and not finding.retired, f"{code} is no finding of abi/findings: {line}"
        assert finding.severity == severity, line
        shapes = [shape(code, example) for example in finding.examples]
        assert shape(code, line) in shapes, "\n".join([f"no example of {code} looks like", line, shape(code, line), "but", *shapes])
        told.append(code)
    return told
