"""Settings come from the editor's introduction, from its configuration, and from each change of it."""

from __future__ import annotations

from pathlib import Path

import attrs
from lsprotocol import types as lsp

from lsp.conftest import scripted
from lsp.starting import capabilities, environment, started
from untilgreen.lsp.folders import uri_of


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


async def test_settings_change_in_an_editor_that_cannot_be_asked(project: Path, tmp_path: Path) -> None:
    """It sends all of its settings along with the news."""
    settings = environment(tmp_path / "state", solver="offline")
    known = attrs.evolve(capabilities("visual_studio_code"), workspace=None)
    async with started(project, "visual_studio_code", settings, can=known) as editor:

        async def changed(payload: object) -> str:
            editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(payload))
            # Answered after all that was sent before.
            status = await editor.client.protocol.send_request_async("untilgreen/status", None)
            return str(status.solver)

        assert await changed({"untilgreen": {"solver": "auto", "apply": None}, "editor": {}}) == "auto"
        assert await changed({"editor": {"tabs": 4}}) == "auto", "it says nothing of us"
        assert await changed(None) == "auto"
        assert await changed({"untilgreen": {"solver": "nobody"}}) == "offline"
        await editor.until_said("editor settings: solver")
        assert await changed({"untilgreen": {"solver": "auto"}}) == "auto"
        assert await changed({"untilgreen": None}) == "offline"
        assert len(editor.messages()) == 1


async def test_progress_counts_to_the_limit_that_the_repository_lowered(
    project: Path, tmp_path: Path
) -> None:
    (project / "pyproject.toml").write_text("[tool.untilgreen]\nmax_attempts = 3\n")
    settings = environment(
        tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), max_attempts="8", apply="never"
    )
    async with started(project, "visual_studio_code", settings) as editor:
        job = await editor.solve(editor.open("calc.py"))
        told = [text for text in editor.progress(job) if "attempt " in text]
        assert told and all("attempt 1 of 3 ·" in text for text in told)


async def test_the_doctor_looks_at_a_folder_with_its_own_settings(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "large.bin").write_bytes(bytes(3 << 20))
    settings = environment(tmp_path / "state")
    async with started(project, "visual_studio_code", settings, folders=[project, other]) as editor:
        editor.client.set_configuration(
            {"untilgreen": {"solver": scripted(project), "workspace_max_mb": 1}}, scope_uri=uri_of(other)
        )
        editor.set(solver="auto")

        async def checks(root: Path) -> dict[str, str]:
            told = await editor.run("untilgreen.doctor", uri=uri_of(root))
            return {check["name"]: f"{check['state']}: {check['detail']}" for check in told["checks"]}

        def statuses() -> list[str]:
            return [told.solver for told in editor.told("untilgreen/status")]

        await editor.until(lambda: statuses()[-1:] == ["auto"], "the settings")
        first, second = await checks(project), await checks(other)
        assert first["solver"].startswith("good: auto") and first["workspace"].startswith("good")
        assert second["solver"] == f"good: {scripted(project)}"
        assert second["workspace"].startswith("bad") and "large.bin" in second["workspace"]
