#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation says what the code says: each environment variable and each finding stands in docs/, and nothing else does.

usage: check.py SOURCE-DIRECTORY [--write]     --write: writes docs/environment.md from shim/settings.c
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
HEAD = """# Environment variables

Read once, when the process starts. A path list is separated by colons. Unset and empty are the same; for switches, `0` is off.
Programs that run as another user than their caller (setuid) obey none of them. Written from shim/settings.c by tests/docs/check.py.

| variable | meaning |
| --- | --- |
"""
# What the `gangway` command alone reads.
TOOLS = [("GANGWAY_DATABASE", "the database that `gangway abi` reads and writes, where no `--database` is given")]


def settings():
    text = (ROOT / "shim/settings.c").read_text(encoding="utf-8")
    rows = re.findall(r'\[GW_SETTING_\w+\]\s*=\s*\{\s*"(\w+)",\s*((?:"[^"]*"\s*)+)\}', text)
    return [(name, "".join(re.findall(r'"([^"]*)"', meaning))) for name, meaning in rows]


def environment():
    return HEAD + "".join(f"| {name} | {meaning} |\n" for name, meaning in [*settings(), *TOOLS])


class Docs(unittest.TestCase):
    def test_the_page_of_environment_variables_is_the_table_of_the_shim(self):
        self.assertGreater(len(settings()), 10)
        self.assertEqual((ROOT / "docs/environment.md").read_text(encoding="utf-8"), environment())

    def test_each_variable_of_ours_that_a_tool_reads_stands_on_the_page(self):
        used = {name for path in ROOT.glob("tools/*.c") for name in re.findall(r'getenv\("(GANGWAY_\w+)"\)', path.read_text(encoding="utf-8"))}
        self.assertIn("GANGWAY_DATABASE", used)
        self.assertEqual(sorted(used - {name for name, _ in settings()}), sorted(name for name, _ in TOOLS))

    def test_each_finding_stands_on_its_page_and_no_other_does(self):
        sources = [*ROOT.glob("shim/*.[ch]"), *ROOT.glob("tools/*.[ch]")]
        used = {code for path in sources for code in re.findall(r'"(GW-\d{3})"', path.read_text(encoding="utf-8"))}
        told = re.findall(r"^\| (GW-\d{3}) \|", (ROOT / "docs/findings.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(used), told)

    def test_each_finding_that_a_change_tells_stands_on_the_page(self):
        named = set(re.findall(r"finding=(GW-\d{3})", (ROOT / "abi/changes").read_text(encoding="utf-8")))
        named |= set(re.findall(r'"(GW-\d{3})"', (ROOT / "abi/gen/change.c").read_text(encoding="utf-8")))
        told = re.findall(r"^\| (GW-\d{3}) \|", (ROOT / "docs/findings.md").read_text(encoding="utf-8"), re.M)
        self.assertTrue(named)
        self.assertEqual(sorted(named - set(told)), [])

    def test_every_file_that_a_page_links_to_exists(self):
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("abi/*.md")]:
            for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page}: {link}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        (ROOT / "docs/environment.md").write_text(environment(), encoding="utf-8")
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
