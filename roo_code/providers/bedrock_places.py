"""Where Bedrock is asked, and for which model: regions, inference profiles, ARNs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError

DEFAULT_REGION = "us-east-1"
_ARN = re.compile(r"arn:[\w-]+:(?:bedrock|sagemaker):([a-z0-9-]+):\d*:([\w-]+)/(.+)")
_REGION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_PROFILES = (
    ("us-gov-", "us-gov."),
    ("us-", "us."),
    ("eu-", "eu."),
    ("ap-northeast-", "jp."),
    ("ap-southeast-2", "au."),
    ("ap-southeast-4", "au."),
    ("ap-", "apac."),
    ("ca-", "ca."),
    ("sa-", "sa."),
)
"""Regions, the more particular first, and what names a model in all of theirs."""
_IN_PROFILE = re.compile(r"(us|us-gov|eu|jp|au|apac|ca|sa|global)\.")
_GLOBAL = re.compile(r"anthropic\.claude-(sonnet|opus|haiku)-\d|amazon\.nova-2")
_ONLY_IN_PROFILES = re.compile(r"anthropic\.claude-(3-7|(sonnet|opus|haiku)-\d)|deepseek\.r1")
"""Models that no single region serves by their plain name."""
_CUSTOM = "custom-arn"
"""What Roo's settings name as the model where only the ARN counts."""


class Arn(NamedTuple):
    region: str
    kind: str
    name: str


def resolved(settings: ProviderSettings, default_model: str) -> ProviderSettings:
    """The settings with the address, the region and the model's whole name filled in."""
    named = settings.api_model_id
    model = str(settings.options.get("awsCustomArn") or named or default_model)
    arn = _read_arn(model)
    region = arn.region if arn else _region(settings)
    if arn is None:
        model = _in_profile(model, region, settings)
    elif arn.kind == "foundation-model":  # only another way to write a plain name
        model = _in_profile(arn.name, region, settings)
    elif named not in ("", _CUSTOM, model):  # an ARN may tell nothing of the model behind it
        settings = settings.replace(modelKnownAs=named)
    return settings.replace(
        api_base_url=settings.api_base_url or _endpoint(settings, region),
        api_model_id=model,
        awsRegion=region,
    )


def _read_arn(text: str) -> Arn | None:
    if not text.startswith("arn:"):
        return None
    found = _ARN.fullmatch(text)
    if not found:
        raise ConfigError(
            "The ARN of the model is not one that Bedrock has.",
            hint="Such as arn:aws:bedrock:REGION:ACCOUNT:inference-profile/NAME.",
        )
    return Arn(*found.groups())


def _in_profile(model: str, region: str, settings: ProviderSettings) -> str:
    """The plain name, or that of an inference profile that holds the model."""
    if _IN_PROFILE.match(model):
        return model
    if settings.options.get("awsUseGlobalInference") and _GLOBAL.match(model):
        return f"global.{model}"
    wanted = settings.options.get("awsUseCrossRegionInference")
    if wanted or (wanted is None and _ONLY_IN_PROFILES.match(model)):
        return next((prefix for start, prefix in _PROFILES if region.startswith(start)), "") + model
    return model


def _endpoint(settings: ProviderSettings, region: str) -> str:
    own = settings.options.get("awsBedrockEndpoint")
    if own and settings.options.get("awsBedrockEndpointEnabled") is not False:
        return str(own).rstrip("/")
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"https://bedrock-runtime.{region}.{domain}"


def _region(settings: ProviderSettings) -> str:
    environ = os.environ
    region = (
        str(settings.options.get("awsRegion") or "")
        or environ.get("AWS_REGION")
        or environ.get("AWS_DEFAULT_REGION")
        or _region_of_profile(str(settings.options.get("awsProfile") or ""))
        or DEFAULT_REGION
    ).strip()
    if not _REGION.fullmatch(region):
        raise ConfigError("awsRegion is not a region's name.", hint="Such as us-east-1.")
    return region


def _region_of_profile(profile: str) -> str | None:
    """As `aws configure` has written it. Read here: botocore takes 140 ms to load."""
    from configparser import ConfigParser, Error  # noqa: PLC0415 - where no region is named

    profile = profile or os.environ.get("AWS_PROFILE") or "default"
    file = os.environ.get("AWS_CONFIG_FILE") or Path("~/.aws/config")
    parser = ConfigParser(interpolation=None)
    try:
        parser.read(Path(file).expanduser(), encoding="utf-8")
    except (Error, OSError, UnicodeDecodeError):
        return None  # who signs the request tells of it
    section = "default" if profile == "default" else f"profile {profile}"
    return parser.get(section, "region", fallback=None)
