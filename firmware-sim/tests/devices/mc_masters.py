"""Masters that share no code with this product; run in their own environment.

Words: the master (3e-binary, 3e-ascii, 1e-ascii), the port, and JSON of calls [method, argument...]. Prints
JSON of what each call returned; of one that failed {"error": text}.
"""

import json
import sys
from typing import Any


def master_of(kind: str, port: int) -> tuple[Any, type[Exception]]:
    """A connected master, and what it raises when the PLC refuses."""
    if kind == "1e-ascii":
        from fx3u_mcprotocol import FX3UClient
        from fx3u_mcprotocol.exceptions import PLCError

        client = FX3UClient(ip="127.0.0.1", port=port, cpu="FX3U", mode="ascii")
        client.connect()
        return client, PLCError
    import pymcprotocol
    from pymcprotocol.mcprotocolerror import MCProtocolError as Refused

    master = pymcprotocol.Type3E()
    master.setaccessopt(commtype=kind.removeprefix("3e-"))
    master.connect("127.0.0.1", port)
    return master, Refused


def main() -> None:
    kind, port, calls = sys.argv[1:]
    master, refused = master_of(kind, int(port))
    answers: list[Any] = []
    for method, *words in json.loads(calls):
        try:
            answers.append(getattr(master, method)(*words))
        except refused as error:
            answers.append({"error": str(error)})
    master.close()
    print(json.dumps(answers))


main()
