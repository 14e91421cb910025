"""Parsing, text, a command line."""

from __future__ import annotations

from agent.exercises.exercise import Exercise

SETTINGS = Exercise(
    name="parsing",
    path="src/keep/settings.py",
    instructions="Read lines `name = value`. `#` begins a comment, but not in quotes; a bad line is named.",
    stub="""
    class BadLine(ValueError):
        pass


    def parse(text):
        raise NotImplementedError
    """,
    tests="""
    import pytest

    from keep.settings import BadLine, parse


    def test_plain():
        assert parse("a = 1\\nb=two\\n") == {"a": "1", "b": "two"}


    def test_comments_and_blank_lines():
        assert parse("# all\\n\\na = 1  # one\\n") == {"a": "1"}


    def test_quotes():
        assert parse('colour = "#fff "\\n') == {"colour": "#fff "}


    def test_bad_line():
        with pytest.raises(BadLine, match="line 2"):
            parse("a = 1\\nnonsense\\n")
    """,
    wrong="""
    class BadLine(ValueError):
        pass


    def parse(text):
        found = {}
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if line:
                name, value = line.split("=")
                found[name.strip()] = value.strip().strip('"')
        return found
    """,
    right="""
    import re

    LINE = re.compile(r'\\s*([\\w.]+)\\s*=\\s*(?:"([^"]*)"|([^#]*?))\\s*(?:#.*)?')


    class BadLine(ValueError):
        pass


    def parse(text):
        found = {}
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.strip().startswith("#"):
                continue
            match = LINE.fullmatch(line)
            if match is None:
                raise BadLine(f"line {number}: {line}")
            name, quoted, bare = match.groups()
            found[name] = bare if quoted is None else quoted
        return found
    """,
    test_path="tests/test_settings.py",
)
WRAP = Exercise(
    name="text",
    path="wrapping.py",
    instructions="Wrap words: no line is longer than the width, unless one word is; paragraphs stay apart.",
    stub="""
    def wrap(text, width):
        return text
    """,
    tests="""
    from wrapping import wrap


    def test_short():
        assert wrap("one two", 20) == "one two"


    def test_breaks():
        assert wrap("the quick brown fox", 10) == "the quick\\nbrown fox"


    def test_long_word():
        assert wrap("a extraordinary b", 5) == "a\\nextraordinary\\nb"


    def test_paragraphs():
        assert wrap("one two three\\n\\nfour", 7) == "one two\\nthree\\n\\nfour"
    """,
    wrong="""
    def wrap(text, width):
        lines, line = [], ""
        for word in text.split():
            if len(line) + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        return "\\n".join([*lines, line])
    """,
    right="""
    def wrap(text, width):
        return "\\n\\n".join(_paragraph(part, width) for part in text.split("\\n\\n"))


    def _paragraph(text, width):
        lines = []
        for word in text.split():
            if lines and len(lines[-1]) + 1 + len(word) <= width:
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        return "\\n".join(lines)
    """,
)
COUNTING = Exercise(
    name="command line",
    path="count.py",
    instructions="`main(argv)` prints how many lines a file has, or words with --words. No file: exit code 2",
    stub="""
    def main(argv=None):
        return 0
    """,
    tests="""
    import pytest

    from count import main


    @pytest.fixture
    def poem(tmp_path):
        path = tmp_path / "poem.txt"
        path.write_text("roses are red\\nviolets are blue\\n")
        return str(path)


    def test_lines(poem, capsys):
        assert main([poem]) == 0
        assert capsys.readouterr().out == "2\\n"


    def test_words(poem, capsys):
        assert main(["--words", poem]) == 0
        assert capsys.readouterr().out == "6\\n"


    def test_missing(capsys):
        assert main(["no such file"]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert "no such file" in told.err
    """,
    wrong="""
    import argparse


    def main(argv=None):
        parser = argparse.ArgumentParser()
        parser.add_argument("path")
        parser.add_argument("--words", action="store_true")
        options = parser.parse_args(argv)
        with open(options.path) as file:
            text = file.read()
        print(len(text.split()) if options.words else text.count("\\n"))
    """,
    right="""
    import argparse
    import sys


    def main(argv=None):
        parser = argparse.ArgumentParser()
        parser.add_argument("path")
        parser.add_argument("--words", action="store_true")
        options = parser.parse_args(argv)
        try:
            with open(options.path) as file:
                text = file.read()
        except OSError as error:
            print(f"{options.path}: {error.strerror}", file=sys.stderr)
            return 2
        print(len(text.split()) if options.words else text.count("\\n"))
        return 0
    """,
)
TEXTS = (SETTINGS, WRAP, COUNTING)
