"""What the workers of a gate do, asked over and over by one connection, as `tasuki gpus top` asks once."""

from __future__ import annotations

import json
import socket
import struct

from house import SECONDS, House

KNOCK = struct.Struct("<8sII16s")  # of remote/server/visit/greeting.hpp, as the two below
REQUEST = struct.Struct("<32sIiQIIII48s96s")
ANSWER = struct.Struct("<32sIIQ16s32s")
VISIT, STATUS = 1, 3


class Watch:
    """The workers of a gate, by device: {0: [(process, calls), ..], 1: ..}."""

    def __init__(self, here: House, version: str) -> None:
        self.asks = REQUEST.pack(version.encode(), STATUS, 0, 0, 0, 0, 0, 0, b"", b"")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(here.folder / f"tasuki-gpus-{here.port}.sock"))
        self.socket.sendall(KNOCK.pack(b"TSKGPUS1", VISIT, 0, b""))

    def _take(self, size: int) -> bytes:
        taken = b""
        while len(taken) < size:
            piece = self.socket.recv(size - len(taken))
            if not piece:
                raise ConnectionError
            taken += piece
        return taken

    def look(self) -> dict[int, list[tuple[int, int]]]:
        """Once more. ConnectionError: the gate is gone."""
        self.socket.sendall(self.asks)
        size = ANSWER.unpack(self._take(ANSWER.size))[3]
        rows = json.loads(self._take(size))["devices"]
        return {r["device"]: [(c["process"], c["calls"]) for c in r["clients"]] for r in rows}

    def close(self) -> None:
        """The gate ends the process of this connection."""
        self.socket.close()
