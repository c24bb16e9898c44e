"""Started by tests: writes settings and secrets as told, one JSON object a line.

Each command is answered by a line when the write is done, so that a test knows what must be there.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from roo_code.config.secrets import SecretStore
from roo_code.config.settings_file import SettingsFile


def increase(file: SettingsFile, key: str) -> None:
    def change(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, key: data.get(key, 0) + 1}

    file.change(change)


def perform(command: dict[str, Any]) -> Iterator[str]:
    path = Path(command["path"])
    match command["do"]:
        case "set":
            SettingsFile(path).update(command["values"], command.get("remove", []))
            yield "done"
        case "increase":
            increase(SettingsFile(path), command["key"])
            yield "done"
        case "count":  # until killed
            file = SettingsFile(path)
            while True:
                increase(file, "count")
                yield "done"
        case "secret":
            SecretStore(path).store_secret(command["key"], command.get("value"))
            yield "done"
        case "secrets":  # until killed
            store, number = SecretStore(path), 0
            while True:
                number += 1
                store.store_secrets({"one": str(number), "two": str(number)})
                yield "done"
        case "rotate":  # until killed
            store = SecretStore(path)
            while True:
                store.rotate()
                yield "done"
        case other:
            raise ValueError(other)


def main() -> None:
    for line in sys.stdin:
        for answer in perform(json.loads(line)):
            print(answer, flush=True)


if __name__ == "__main__":
    main()
