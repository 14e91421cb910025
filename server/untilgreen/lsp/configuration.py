"""Settings from the editor: introduction, then its configuration, then each change of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.lsp.folders import uri_of
from untilgreen.settings import Settings, laid_over

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

log = logging.getLogger(__name__)

SECTION = "untilgreen"
EDITORS_OWN = frozenset({"path", "trace", "enable"})
"""What extensions keep in the same section for themselves."""
_ANSWER_SECONDS = 10.0


class Configuration:
    """Lays what the editor says over what the user says elsewhere; what is wrong is told once."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._below = server.settings
        self._options: dict[str, object] = {}
        self._told: set[str] = set()
        self._asked = 0

    def introduced(self, options: object) -> None:
        """Initialization options; usable before the first answer to anything."""
        self._options = self._read(options)
        self._lay({})

    async def ask(self) -> None:
        """Ask for the settings as they are now; null, nothing and an empty object are alike."""
        if not self._server.can.configuration:
            return
        self._asked += 1
        mine = self._asked
        roots = self._server.documents.roots()
        # With one folder, what is said for all of them is said for it.
        scoped = roots if len(roots) > 1 else []
        items = [lsp.ConfigurationItem(section=SECTION)]
        items += [lsp.ConfigurationItem(scope_uri=uri_of(root), section=SECTION) for root in scoped]
        try:
            answer = await asyncio.wait_for(
                self._server.workspace_configuration_async(lsp.ConfigurationParams(items)), _ANSWER_SECONDS
            )
        except (TimeoutError, JsonRpcException) as error:
            log.info("the editor has no settings for us: %s", error)
            return
        # An answer that was overtaken by a newer question is old news.
        if mine == self._asked:
            first, *others = (*(answer or ()), None)[: len(items)]
            # A client that does not know of scopes answers once, or for all the same.
            self._lay(
                self._read(first), {root: self._read(own) for root, own in zip(scoped, others, strict=False)}
            )

    def changed(self, payload: object) -> None:
        """From an editor that cannot be asked; one that can is asked again instead."""
        if isinstance(payload, dict) and SECTION in payload:
            self._lay(self._read(payload[SECTION]))

    async def register(self) -> None:
        """Hear of changes from editors that tell only who asked for it."""
        if not self._server.can.configuration_registration:
            return
        options = lsp.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registration = lsp.Registration(SECTION, lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        try:
            await asyncio.wait_for(
                self._server.client_register_capability_async(lsp.RegistrationParams([registration])),
                _ANSWER_SECONDS,
            )
        except (TimeoutError, JsonRpcException) as error:
            log.info("the editor does not tell of changed settings: %s", error)

    def _read(self, raw: object) -> dict[str, object]:
        """What somebody set; editors send null for what nobody did."""
        if not raw:
            return {}
        if not isinstance(raw, dict):
            self._tell((f"The editor's settings are not an object but a {type(raw).__name__}.",))
            return {}
        return {
            str(name): value
            for name, value in raw.items()
            if value is not None and str(name) not in EDITORS_OWN
        }

    def _lay(
        self, given: dict[str, object], of_folders: Mapping[Path, dict[str, object]] | None = None
    ) -> None:
        settings, problems = laid_over(self._below, {**self._options, **given}, "editor settings: ")
        own: dict[Path, Settings] = {}
        for root, more in (of_folders or {}).items():
            if more and more != given:
                own[root], others = laid_over(self._below, {**self._options, **more}, "editor settings: ")
                problems = (*problems, *others)
        self._server.configure(settings, own)
        self._tell(problems)

    def _tell(self, problems: tuple[str, ...]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self._server.complain(problem)
