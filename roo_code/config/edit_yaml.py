"""Change some keys of a YAML text and keep its comments, order and quotes."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from roo_code.config.edit_json import same
from roo_code.config.json_shapes import is_list, is_object
from roo_code.errors import ConfigError


def edit_yaml(text: str, wanted: Mapping[str, Any]) -> str:
    """The text with its keys as wanted."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - only a write needs it
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    yaml: Any = YAML()  # its stubs leave most types open
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    try:
        data: Any = yaml.load(text)
    except YAMLError as error:  # it is stricter than the reader: no name may stand twice
        said = str(getattr(error, "problem", None) or "it is no YAML")
        raise ConfigError(f"The YAML cannot be changed: {said}", hint="Mend it by hand.") from None
    current: dict[str, Any] = data if is_object(data) else yaml.map()
    for key in list(current):
        if key not in wanted:
            del current[key]
    for key, value in wanted.items():
        if key not in current or not same(_plain(current[key]), value):
            current[key] = value
    out = io.StringIO()
    yaml.dump(current, out)
    return out.getvalue()


def _plain(value: Any) -> Any:
    """What ruamel read, in plain types."""
    if is_object(value):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if is_list(value):
        return [_plain(item) for item in value]
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value
