"""Settings from the editor: introduction, then its configuration, then each change of it."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.settings import laid_over

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
        item = lsp.ConfigurationItem(section=SECTION)
        try:
            answer = await asyncio.wait_for(
                self._server.workspace_configuration_async(lsp.ConfigurationParams(items=[item])),
                _ANSWER_SECONDS,
            )
        except (TimeoutError, JsonRpcException) as error:
            log.info("the editor has no settings for us: %s", error)
            return
        # An answer that was overtaken by a newer question is old news.
        if mine == self._asked:
            self._lay(self._read(answer[0] if answer else None))

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

    def _lay(self, given: dict[str, object]) -> None:
        settings, problems = laid_over(self._below, {**self._options, **given}, "editor settings: ")
        self._server.configure(settings)
        self._tell(problems)

    def _tell(self, problems: tuple[str, ...]) -> None:
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self._server.complain(problem)
