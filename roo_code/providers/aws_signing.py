"""AwsSigner: a bearer key, or a signature by any credentials that Amazon's own tools know."""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import TYPE_CHECKING

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError, TimedOut
from roo_code.providers.dialing import Address
from roo_code.providers.own_thread import in_own_thread

if TYPE_CHECKING:
    from roo_code.providers.aws_credentials import Credentials

BEARER_VARIABLE = "AWS_BEARER_TOKEN_BEDROCK"
_LOOK_UP_SECONDS = 60.0
"""A program that hands out credentials may ask its user something."""


class AwsSigner:
    """Its settings name the region. What is looked up is kept, and renews itself."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings = settings
        self._region = str(settings.options.get("awsRegion"))
        self._credentials: Credentials | None = None
        self._looking = threading.Lock()

    async def sign(self, address: Address, body: bytes) -> dict[str, str]:
        if key := self._bearer_key():
            return {"authorization": f"Bearer {key}"}
        try:
            # In a thread: loading botocore, files, sign-on services and long bodies all take time.
            return await in_own_thread(partial(self._sign, address, body), _LOOK_UP_SECONDS)
        except TimeoutError as error:
            raise TimedOut(
                f"AWS credentials did not come within {_LOOK_UP_SECONDS:g} s."
            ) from error

    def _bearer_key(self) -> str | None:
        """The key, unless the settings name other credentials."""
        options, key = self._settings.options, self._settings.api_key
        given = key.get_secret_value() if key else str(options.get("awsApiKey") or "")
        if given and options.get("awsUseApiKey") is not False:
            return given.strip()
        if self._profile() or options.get("awsAccessKey"):
            return None
        return os.environ.get(BEARER_VARIABLE, "").strip() or None

    def _profile(self) -> str | None:
        options = self._settings.options
        return str(options.get("awsProfile") or "default") if options.get("awsUseProfile") else None

    def _sign(self, address: Address, body: bytes) -> dict[str, str]:
        try:
            from roo_code.providers import aws_credentials  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("botocore"):
                raise
            raise ConfigError(
                "Signing requests to Bedrock needs botocore.",
                hint="Install it with pip install 'roo-code[bedrock]', or set awsApiKey.",
            ) from error
        with self._looking:
            if self._credentials is None:
                self._credentials = aws_credentials.find_credentials(
                    self._settings.options, self._region, self._profile()
                )
        return aws_credentials.sign(self._credentials, self._region, address, body)
