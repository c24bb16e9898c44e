"""Where the requests of a row go with certain settings, and which headers go with them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from msgspec.structs import replace

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.dialing import Address, parse_address
from roo_code.providers.spec import ProviderSpec
from roo_code.version import VERSION

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x20-\x7e\t]*")


def find_address(spec: ProviderSpec, settings: ProviderSettings, model: str, path: str) -> Address:
    """`path` is what the wire format adds to the service's address; a query may follow it."""
    path, _, query = path.partition("?")
    address = parse_address(settings.api_base_url or _home(spec, settings, model))
    base = address.path.rstrip("/").removesuffix(path)
    if spec.replaced_path and base.endswith(spec.replaced_path[0]):
        base = base.removesuffix(spec.replaced_path[0]) + spec.replaced_path[1]
    if not base.endswith(spec.version_path):
        base += spec.version_path
    return replace(address, path=base + path, query="&".join(filter(None, (address.query, query))))


def _home(spec: ProviderSpec, settings: ProviderSettings, model: str) -> str:
    options = settings.options
    if (apart := spec.model_endpoint) and model.startswith(apart.prefix):
        return str(options.get(apart.option) or apart.url)
    if url := spec.endpoints.get(str(options.get(spec.endpoint_option))):
        return url
    url = os.environ.get(spec.address_variable) or spec.base_url
    for name, default in spec.url_options.items():
        url = url.replace(f"{{{name}}}", str(options.get(name) or default))
    return url


def request_headers(
    spec: ProviderSpec, settings: ProviderSettings, accept: str, of_format: Mapping[str, str]
) -> dict[str, str]:
    """Names in lower case, so that the settings replace ours whatever their spelling."""
    headers = {
        "accept": accept,
        "accept-encoding": "identity",  # nothing may hold pieces back to pack them
        "content-type": "application/json",
        "user-agent": f"RooCode/{VERSION}",
        **spec.headers,
        **of_format,
        **{name.lower(): value for name, value in settings.headers.items()},
    }
    for name, value in headers.items():
        if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            what = "The key" if name in of_format else f"The header {name!r}"
            raise ConfigError(f"{what} holds characters that cannot be sent.")
    return headers
