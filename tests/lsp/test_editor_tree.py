"""The test tree, in the shape that rust-analyzer's clients know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsp.conftest import slow
from lsp.starting import environment, started
from untilgreen.lsp.folders import uri_of

MORE = "class TestMore:\n    def test_a(self):\n        pass\n\n    def test_b(self):\n        assert False\n"


async def test_tests_are_found_without_running_and_results_come_by_id(project: Path, tmp_path: Path) -> None:
    (project / "tests").mkdir()
    (project / "tests" / "test_more.py").write_text(MORE)
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, "visual_studio_code", settings) as editor:
        send = editor.client.protocol.send_request_async
        folder = uri_of(project)

        async def below(item: str | None) -> list[Any]:
            return list((await send("experimental/discoverTest", {"testId": item})).tests)

        [top] = await below(None)
        assert (top.id, top.kind, top.canResolveChildren) == (folder, "package", True)
        files = await below(folder)
        assert [item.label for item in files] == ["test_calc.py", "tests/test_more.py"]
        assert files[1].parent == folder and files[1].kind == "module"
        tests = await below(files[1].id)
        assert [(item.label, item.kind) for item in tests] == [
            ("TestMore", "module"),
            ("test_a", "test"),
            ("test_b", "test"),
        ]
        assert tests[1].parent == tests[0].id
        assert tests[1].textDocument.uri == uri_of(project / "tests/test_more.py")
        assert (tests[1].range.start.line, tests[1].range.end.line) == (1, 2)
        assert await below("nonsense") == []

        # A new test is told while it is typed.
        uri = editor.open("tests/test_more.py")
        editor.type(uri, MORE + "\n    def test_c(self):\n        pass\n")
        await editor.until(
            lambda: any("test_c" in str(told) for told in editor.told("experimental/discoveredTests")),
            "the new test",
        )
        await send("experimental/runTest", {"include": [tests[0].id], "exclude": []})
        await editor.until(lambda: bool(editor.told("experimental/endRunTest")), "the end of the run")
        states = {
            told.testId.rpartition("::")[2]: told.state.tag
            for told in editor.told("experimental/changeTestState")
            if told.state.tag != "enqueued"
        }
        assert states == {"test_a": "passed", "test_b": "failed", "test_c": "passed"}, "unsaved text ran"
        [failed] = [
            told.state for told in editor.told("experimental/changeTestState") if told.state.tag == "failed"
        ]
        assert "assert False" in failed.message


async def test_a_run_can_be_aborted(project: Path, tmp_path: Path) -> None:
    (project / "test_calc.py").write_text(slow(60))
    settings = environment(tmp_path / "state", sandbox="bubblewrap")
    async with started(project, "visual_studio_code", settings) as editor:
        await editor.client.protocol.send_request_async("experimental/runTest", {"include": None})
        await editor.until(
            lambda: any(event.type == "plan_made" for event in editor.told("untilgreen/event")), "the run"
        )
        editor.client.protocol.notify("experimental/abortRunTest", None)
        await editor.until(lambda: bool(editor.told("experimental/endRunTest")), "the end of the run")
        assert await editor.run("untilgreen.stop") is False
