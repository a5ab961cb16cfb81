# SPDX-License-Identifier: Apache-2.0
"""abi/findings is what the code tells: no code is lost, changed unseen, told without standing there, or standing there without being told.

usage: test_registry.py SOURCE-DIRECTORY ABIGEN
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import registry

ROOT, ABIGEN = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
FINDINGS = registry.findings(ROOT / "abi/findings")
CODE = [path for part in ("shim", "tools") for path in sorted((ROOT / part).glob("*.[ch]"))]
BLOCK = """finding GW-301 error ONE
cause it broke
remedy mend it
text It was whole.
text
text Now it is not.
example gangway: error GW-301: "it" broke; mend it
cure mend it
retired GW-302 note was told of what cannot happen any more
finding GW-303 warning TWO
cause that broke
remedy mend that
text It was whole.
example gangway: warning GW-303: that broke; mend that
cure mend that
cure mend that again
"""
WHOLE = BLOCK + """finding GW-304 note THREE
cause this broke
remedy mend "this"
text It was whole.
example gangway: note GW-304: this broke; mend "this"
cure mend this
"""
# Broken text: the line's number, what of it is replaced by what, and what is said, at which column.
BROKEN = (
    (1, "GW-301", "GW-31", "9: 'GW-31' is no code, such as GW-303"),
    (1, "error", "fatal", "16: 'fatal' is no severity: note, warning or error"),
    (1, "ONE", "", "22: a name of capital letters ends the line: the form is `finding CODE SEVERITY NAME`"),
    (1, "ONE", "one", "22: a name of capital letters ends the line: the form is `finding CODE SEVERITY NAME`"),
    (1, "ONE", "ONE MORE", "22: a name of capital letters ends the line: the form is `finding CODE SEVERITY NAME`"),
    (1, "finding GW-301 error ONE", "cause first", "1: 'cause' stands where a block begins: `finding CODE SEVERITY NAME` or `retired CODE SEVERITY TEXT`"),
    (2, "cause it broke", "", "9:1: GW-301, which begins in line 1, has no `cause` line"),
    (2, "cause it broke", "cause", "1: `cause` says nothing"),
    (2, "cause it broke", "reason it broke", "1: unknown line 'reason': finding, cause, remedy, text, example, cure or retired"),
    (3, "remedy", "cause", "1: GW-301 has a `cause` line already"),
    (5, "text", "cure x", "6:1: the `text` lines of GW-301 do not stand together"),
    (7, "GW-301", "GW-302", "9: an example of GW-301 shows a message in full, with its code and 'error'"),
    (7, "error", "note", "9: an example of GW-301 shows a message in full, with its code and 'error'"),
    (9, " was told of what cannot happen any more", "", "16: what GW-302 was told of, and why it is no longer, is missing: the form is `retired CODE SEVERITY TEXT`"),
    (10, "GW-303", "GW-302", "9: GW-302 stands behind GW-302: a code is used once"),
    (10, "GW-303", "GW-300", "9: GW-300 stands behind GW-302: blocks are sorted by their codes"),
    (10, "TWO", "ONE", "24: ONE is the name of GW-301"),
)


def generate(text, directory, changes=None):
    """Runs abigen on the small database with these findings."""
    small = ROOT / "tests/gen/small"
    path = os.path.join(directory, "findings")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run([ABIGEN, "--facts", small / "facts", "--treatment", small / "treatment", "--changes", changes or small / "changes", "--findings", "findings",
                           "--out", "."], cwd=directory, capture_output=True, text=True, check=False)


class Registry(unittest.TestCase):
    def test_no_code_was_lost_or_changed_its_severity_and_each_is_pinned(self):
        known = dict(line.split() for line in (ROOT / "tests/findings/known").read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        self.assertEqual({f.code: f.severity for f in FINDINGS.values()}, known)

    def test_each_finding_is_told_by_the_code_and_the_code_tells_no_other(self):
        told = {name for path in CODE for name in re.findall(r"\bGW_FINDING_(\w+)", path.read_text(encoding="utf-8"))} - {"COUNT", "H"}
        self.assertEqual(told, {f.name for f in FINDINGS.values() if f.name})

    def test_no_file_speaks_of_a_code_that_is_not_told(self):
        pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("abi/*.md"), *(ROOT / "abi/gen").glob("*.c"), ROOT / "abi/changes", ROOT / "abi/treatment"]
        for path in [*CODE, *pages]:
            named = set(re.findall(r"GW-\d{3}", path.read_text(encoding="utf-8")))
            self.assertEqual(sorted(code for code in named if code not in FINDINGS or FINDINGS[code].retired), [], path)

    def test_a_severity_or_remedy_of_the_registry_is_written_nowhere_else(self):
        for path in CODE:
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            text = re.sub(r'"\s*\n\s*"', "", text)
            for finding in FINDINGS.values():
                if finding.name:
                    self.assertNotIn(f'"{finding.code}"', text, path)
                    self.assertNotIn(f'"{finding.remedy}', text, path)

    def test_each_finding_shows_its_own_remedy_in_an_example(self):
        for finding in FINDINGS.values():
            if finding.name:
                self.assertTrue(any(finding.remedy in example for example in finding.examples), finding.code)
                for example in finding.examples:
                    match = registry.MESSAGE.match(example)
                    self.assertEqual((match["code"] or match["code2"], match["severity"] or match["severity2"]), (finding.code, finding.severity))

    def test_what_is_written_is_what_is_read(self):
        with tempfile.TemporaryDirectory() as directory:
            done = generate(WHOLE, directory)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            written = {name: pathlib.Path(directory, name).read_text(encoding="utf-8") for name in ("gw_findings.h", "gw_findings.c", "findings.md")}
            self.assertEqual(re.findall(r"GW_FINDING_(\w+),", written["gw_findings.h"]), ["ONE", "TWO", "THREE"])
            texts = {at: text for text, at in re.findall(r'"(.*)\\0" /\* (\d+) \*/', written["gw_findings.c"])}
            rows = re.findall(r"\[GW_FINDING_(\w+)\] = \{ (\d+), (\d+), (\d+) \}", written["gw_findings.c"])
            self.assertEqual([(name, *(texts[at] for at in row)) for name, *row in rows], [
                ("ONE", "GW-301", "error", "mend it"), ("TWO", "GW-303", "warning", "mend that"), ("THREE", "GW-304", "note", 'mend \\"this\\"')])
            at = 0
            for text in texts.values():
                self.assertEqual(texts[str(at)], text)
                at += len(text.replace('\\"', '"')) + 1
            self.assertIn("| GW-301 | error | it broke | mend it |\n| GW-302 | retired | was told of what cannot happen any more | - |\n", written["findings.md"])
            self.assertIn("\n## GW-301\nIt was whole.\n\nNow it is not.\n\nIt looks like this:\n\n    gangway: error GW-301: \"it\" broke; mend it\n\n"
                          "To end it:\n\n    mend it\n", written["findings.md"])

    def test_what_a_change_tells_has_to_be_a_finding_that_is_told(self):
        with tempfile.TemporaryDirectory() as directory:
            without = re.sub(r"finding GW-303(.*\n)+?(?=finding)", "", WHOLE)
            for text in without, without.replace("finding GW-304", "retired GW-303 warning is told no more\nfinding GW-304"):
                self.assertRegex(generate(text, directory).stderr, r"changes(:\d+:\d+)?: GW-303(, which '\S+' is answered with,)? is none that abi/findings tells of\n\Z")
            changes = pathlib.Path(directory, "changes")
            changes.write_text((ROOT / "tests/gen/small/changes").read_text(encoding="utf-8").replace("finding=GW-303", "finding=GW-305"), encoding="utf-8")
            self.assertRegex(generate(WHOLE, directory, "changes").stderr, r"\Achanges:\d+:\d+: GW-305 is none that abi/findings tells of\n\Z")

    def test_a_broken_line_is_told_with_its_place(self):
        with tempfile.TemporaryDirectory() as directory:
            for number, old, new, said in BROKEN:
                lines = BLOCK.splitlines()
                self.assertIn(old, lines[number - 1])
                lines[number - 1] = lines[number - 1].replace(old, new, 1)
                done = generate("\n".join(lines) + "\n", directory)
                place = said if re.match(r"\d+:\d", said) else f"{number}:{said}"
                self.assertEqual((done.returncode, done.stderr), (1, f"findings:{place}\n"))
                self.assertEqual(os.listdir(directory), ["findings"])
            for end in range(len(BLOCK)):    # cut short anywhere: read, or told, and no crash
                self.assertIn(generate(BLOCK[:end], directory).returncode, (0, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
