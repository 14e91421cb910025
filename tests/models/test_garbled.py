"""Replies that chance has garbled: each ends in a Reply or in words, and the next honest one arrives."""

from __future__ import annotations

import os
import random
from pathlib import Path

from boxes import SEED
from models.asked import HONEST, KEY, TOOLS, asking
from scripted_models import Raw, Request, ScriptedServer, call, fault, say
from scripted_models.script import Answer, Reply
from untilgreen.errors import ModelError
from untilgreen.models.model import Reply as Told

ROUNDS = 500 if os.environ.get("UNTILGREEN_SOAK") else 60
ANSWERS = [
    say("A text of some length, in pieces."),
    call("read_file", path="a.py") + call("run_tests"),
    say("Both. ") + call("read_file", path="ä/b.py"),
    say("", stopped="length"),
    say("No.", stopped="refused"),
]
KINDS = ["text/event-stream", "text/event-stream", "application/json", "text/plain", "text/html", ""]


def garbled(server: ScriptedServer, request: Request, chance: random.Random) -> Reply:
    pieces = [piece for piece in server.events(chance.choice(ANSWERS), request) if piece]
    if chance.random() < 0.2:
        pieces += server.error_event(fault(chance.choice([400, 401, 429, 500, 529])))
    for _ in range(chance.randint(1, 3)):
        n = chance.randrange(len(pieces))
        match chance.randrange(7):
            case 0:
                pieces[n] = b""
            case 1:
                pieces.insert(chance.randrange(len(pieces)), pieces[n])
            case 2:
                pieces[n] = pieces[n][: chance.randrange(len(pieces[n]) + 1)]
            case 3:
                chance.shuffle(pieces)
            case 4:
                pieces[n] = pieces[n].replace(b'"', chance.choice([b"", b'\\"', b"\x00", b"\xff"]), 3)
            case 5:
                pieces[n] = pieces[n].replace(b"null", b"[{}]").replace(b'{"', b'[{"', 1)
            case 6:
                pieces[n] = bytes(chance.choices(range(256), k=200))
    status = chance.choice([200] * 12 + [204, 301, 400, 404, 418, 429, 500, 503, 599])
    return Raw(b"".join(pieces), status, chance.choice(KINDS))


async def test_whatever_comes(provider: str, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    seen: dict[str, int] = {}
    async with asking(provider, [], tmp_path, otherwise=say("later"), tries=2) as asked:

        def line(request: Request) -> Reply:
            return garbled(asked.server, request, chance)

        for n in range(ROUNDS):
            asked.server.otherwise = line
            try:
                reply = await asked.reply(tools=TOOLS if asked.model.tools is not False else ())
                assert isinstance(reply, Told), n
                seen["reply"] = seen.get("reply", 0) + 1
            except ModelError as error:
                assert str(error) and KEY not in str(error), n
                seen["error"] = seen.get("error", 0) + 1
            asked.server.otherwise = Answer(HONEST.text)
            await asked.honest()
    assert min(seen["reply"], seen["error"]) > ROUNDS // 10, "both kinds of end were there"
