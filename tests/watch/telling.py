"""What an editor was told of watch mode, and how it is used there."""

from __future__ import annotations

from typing import Any

from lsp.editor import Editor
from untilgreen.lsp.folders import uri_of
from untilgreen.watching.causes import THE_REST


def causes(editor: Editor, kind: str = "test") -> list[str]:
    return [event.cause for event in told_of(editor, "job_started") if event.kind == kind]


def told_of(editor: Editor, kind: str) -> list[Any]:
    """The events of one kind."""
    return [event for event in editor.told("untilgreen/event") if event.type == kind]


def watching(editor: Editor) -> list[Any]:
    told = editor.told("untilgreen/status")
    return list(told[-1].watch) if told else []


def message(editor: Editor) -> str:
    return str(watching(editor)[0].message) if watching(editor) else ""


def offers(editor: Editor) -> list[Any]:
    """The fixes that wait for the user, in the standing status."""
    told = editor.told("untilgreen/status")
    return list(told[-1].fixes) if told else []


def solver(editor: Editor) -> str:
    """Who would be asked, as the settings are that the server knows of."""
    told = editor.told("untilgreen/status")
    return str(told[-1].solver) if told else ""


async def at_rest(editor: Editor) -> None:
    def rests() -> bool:
        told = editor.told("untilgreen/status")
        return bool(told) and told[-1].quiescent

    await editor.until(rests, "rest")


async def nothing_left(editor: Editor) -> None:
    """What waits for an idle moment has run, too: from now on nothing begins by itself."""

    def is_over() -> bool:
        rest = {event.job for event in told_of(editor, "job_started") if event.cause == THE_REST}
        return bool(rest & {event.job for event in told_of(editor, "finished")})

    await editor.until(is_over, "the other tests")
    await at_rest(editor)


async def watch(editor: Editor, mode: str) -> None:
    assert await editor.run("untilgreen.watch", uri=uri_of(editor.root), mode=mode) == {"mode": mode}
    await editor.until(lambda: "watch: started" in causes(editor), "the first run")
    await at_rest(editor)


def save(editor: Editor, uri: str, text: str) -> None:
    editor.type(uri, text)
    editor.save(uri)
