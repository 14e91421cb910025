"""Settings come from the editor's introduction, from its configuration, and from each change of it."""

from __future__ import annotations

from pathlib import Path

from lsp.starting import environment, started


async def test_bad_settings_are_told_once_and_do_no_harm(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", apply="perhaps")
    options = {
        "max_attempts": 0,
        "colour": "green",
        "path": "/usr/bin/untilgreen",
        "trace": {"server": "off"},
    }
    async with started(project, "visual_studio_code", settings, options=options) as editor:
        await editor.until(lambda: len(editor.messages()) == 3, "the warnings")
        told = "\n".join(editor.messages())
        assert "environment: apply" in told
        assert "editor settings: max_attempts" in told and "editor settings: colour" in told
        # The same again is no news; a new mistake is.
        editor.set(max_attempts=0, memory_mb="much")
        await editor.until_said("memory_mb")
        editor.set(max_attempts=0, memory_mb="much", solver="offline")
        await editor.until(lambda: len(editor.told("untilgreen/status")) >= 2, "the change")
        assert len(editor.messages()) == 4
        assert await editor.actions(editor.open("test_calc.py"), 5)


async def test_settings_change_while_the_server_runs(project: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path / "state", solver="offline")
    async with started(project, "visual_studio_code", settings, settings={"solver": "model"}) as editor:

        async def solver() -> str:
            status = await editor.client.protocol.send_request_async("untilgreen/status", None)
            return str(status.solver)

        async def until(wanted: str) -> None:
            for _ in range(500):
                if await solver() == wanted:
                    return
            raise AssertionError(f"the solver is {await solver()} and not {wanted}")

        await until("model")
        editor.set(solver="auto")
        await until("auto")
        # What is not set any more is again what the user says elsewhere.
        editor.set()
        await until("offline")
        editor.set(solver=None, apply="ask")
        await until("offline")
        assert editor.messages() == []
