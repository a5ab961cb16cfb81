#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation says what the code says: each environment variable stands in docs/, and nothing else does (of findings: tests/findings).

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

    def test_every_file_that_a_page_links_to_exists(self):
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("abi/*.md")]:
            for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page}: {link}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        (ROOT / "docs/environment.md").write_text(environment(), encoding="utf-8")
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
