"""python-snap7 as a master over TCP or PPI; run in its own environment, told over standard input."""

import json
import sys
from typing import Any

from s7 import Area, Client, PPIArea, PPIClient, WordLen
from snap7.error import S7Error


def failure(error: Exception) -> dict[str, str]:
    return {"error": str(error)}


def over_tcp(client: Client, word: str, *rest: Any) -> object:
    if word == "read":
        area, db, start, size = rest
        return bytes(client.read_area(Area[area], db, start, size)).hex()
    if word == "write":
        area, db, start, data = rest
        client.write_area(Area[area], db, start, bytearray.fromhex(data))
    if word == "bit":
        area, db, address, value = rest
        client.write_area(Area[area], db, address, bytearray([value]), WordLen.Bit)
    if word == "many":
        wanted = [
            {"area": Area[area], "db_number": db, "start": start, "size": size}
            for area, db, start, size in rest
        ]
        _, values = client.read_multi_vars(wanted)
        return [bytes(value).hex() for value in values]
    if word == "pdu":
        return client.get_pdu_length()
    return None


def over_ppi(client: PPIClient, word: str, area: str, start: int, rest: Any) -> object:
    if word == "read":
        return bytes(client.read_area(PPIArea[area], start, rest)).hex()
    client.write_area(PPIArea[area], start, bytes.fromhex(rest))
    return None


def main() -> None:
    kind, where, *more = sys.argv[1:]
    client: Any
    if kind == "tcp":
        rack, slot = map(int, more)
        client = Client()
        client.connect("127.0.0.1", rack, slot, tcp_port=int(where))
        client.max_parallel = 1
    else:
        client = PPIClient(where, station=int(more[0]), timeout=1.0)
        client.connect()
    for line in sys.stdin:
        try:
            answer = (over_tcp if kind == "tcp" else over_ppi)(client, *json.loads(line))
        except S7Error as error:
            answer = failure(error)
        print(json.dumps(answer), flush=True)
    client.disconnect()


main()
