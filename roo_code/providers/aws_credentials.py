"""Credentials and signatures by botocore: all of it blocks, and takes 100 ms to load."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeAlias

from roo_code.errors import AuthenticationFailed, ConfigError, ConnectionFailed, RooCodeError
from roo_code.providers.dialing import Address

# By name: the library has no types.
_auth: Any = import_module("botocore.auth")
_awsrequest: Any = import_module("botocore.awsrequest")
_credentials: Any = import_module("botocore.credentials")
_exceptions: Any = import_module("botocore.exceptions")
_session: Any = import_module("botocore.session")
logging.getLogger("botocore").setLevel(logging.INFO)  # below that it writes tokens down

Credentials: TypeAlias = Any
"""The library's own, which renew themselves before they expire."""

_SERVICE = "bedrock"
_OF_THE_MACHINE = ("container-role", "iam-role")
"""Sources that answer over the network, and only on Amazon's own machines."""
_FAILURES = (_exceptions.BotoCoreError, _exceptions.ClientError)
_WRONG_SETTINGS = (
    _exceptions.ConfigParseError,
    _exceptions.InvalidConfigError,
    _exceptions.NoCredentialsError,
    _exceptions.PartialCredentialsError,
    _exceptions.ProfileNotFound,
)
_HINT = (
    "Set awsApiKey, or awsAccessKey and awsSecretKey, or awsProfile with awsUseProfile; or sign in "
    "with `aws configure` or `aws sso login`."
)


def find_credentials(options: Mapping[str, Any], region: str, profile: str | None) -> Credentials:
    """Those of the settings, of the profile, or what Amazon's tools would find."""
    key, secret = options.get("awsAccessKey"), options.get("awsSecretKey")
    if profile is None and (key or secret):
        if not (key and secret):
            missing = "awsSecretKey" if key else "awsAccessKey"
            raise ConfigError(f"Of the AWS credentials, {missing} is missing.", hint=_HINT)
        return _credentials.Credentials(key, secret, options.get("awsSessionToken"))
    try:
        found = _look_up(region, profile)
    except _FAILURES as error:
        raise _explained(error) from error
    if found is None:
        where = f"The AWS profile {profile!r} holds" if profile else "There are"
        raise ConfigError(f"{where} no credentials for Bedrock.", hint=_HINT)
    return found


def sign(credentials: Credentials, region: str, address: Address, body: bytes) -> dict[str, str]:
    """The headers of a signed POST, but for what every request has."""
    request = _awsrequest.AWSRequest(method="POST", url=address.whole, data=body)
    try:
        current = credentials.get_frozen_credentials()
        _auth.SigV4Auth(current, _SERVICE, region).add_auth(request)
    except _FAILURES as error:
        raise _explained(error) from error
    return {name.lower(): str(value) for name, value in request.headers.items()}


def _look_up(region: str, profile: str | None) -> Credentials | None:
    session = _session.Session(profile=profile)
    session.set_config_variable("region", region)  # of the services that sign people in
    if session.get_scoped_config().get("mfa_serial"):  # botocore would ask on the terminal
        raise ConfigError(
            "The AWS profile asks for a code of a device, which cannot be given here.",
            hint="Get temporary credentials first, for example with `aws sts get-session-token`.",
        )
    resolver = session.get_component("credential_provider")
    if profile is not None:  # a profile that holds nothing is an error, not a reason to search
        for name in _OF_THE_MACHINE:
            resolver.remove(name)
    return resolver.load_credentials()


def _explained(error: Exception) -> RooCodeError:
    said = f"AWS credentials: {error}"
    if isinstance(error, _WRONG_SETTINGS):
        return ConfigError(said, hint=_HINT)
    if isinstance(error, _exceptions.HTTPClientError | _exceptions.ConnectionError):
        return ConnectionFailed(said)
    failed = AuthenticationFailed(said)
    failed.hint = "Sign in again, for example with `aws sso login`."
    return failed
