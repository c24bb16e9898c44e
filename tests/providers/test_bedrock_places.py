"""Where Bedrock is asked, and for which model."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.bedrock_places import resolved
from roo_code.providers.catalog import create_provider
from tests.providers.requests import settings

PLAIN = "anthropic.claude-3-haiku-20240307-v1:0"
SONNET = "anthropic.claude-sonnet-4-5-20250929-v1:0"
PROFILE = f"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.{SONNET}"
OPAQUE = "arn:aws:bedrock:ap-south-1:123456789012:application-inference-profile/ab12cd34"


@pytest.fixture(autouse=True)
def _nothing_of_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))


def place(**fields: Any) -> ProviderSettings:
    return resolved(settings("bedrock", **fields), SONNET)


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("us-east-1", "us."),
        ("us-gov-west-1", "us-gov."),
        ("eu-central-1", "eu."),
        ("ap-northeast-1", "jp."),
        ("ap-southeast-2", "au."),
        ("ap-southeast-4", "au."),
        ("ap-south-1", "apac."),
        ("ca-central-1", "ca."),
        ("sa-east-1", "sa."),
        ("me-central-1", ""),
    ],
)
def test_an_inference_profile_is_named_by_the_region(region: str, prefix: str) -> None:
    fields: dict[str, Any] = {"api_model_id": PLAIN, "awsRegion": region}
    assert place(**fields).api_model_id == PLAIN
    assert place(**fields, awsUseCrossRegionInference=True).api_model_id == prefix + PLAIN


@pytest.mark.parametrize(
    ("fields", "model"),
    [
        ({}, f"us.{SONNET}"),
        ({"awsUseCrossRegionInference": False}, SONNET),
        ({"awsUseGlobalInference": True}, f"global.{SONNET}"),
        ({"awsUseGlobalInference": True, "api_model_id": PLAIN}, PLAIN),
        ({"api_model_id": f"eu.{SONNET}", "awsUseCrossRegionInference": True}, f"eu.{SONNET}"),
    ],
)
def test_what_is_only_in_profiles_is_asked_for_there_unless_refused(
    fields: dict[str, Any], model: str
) -> None:
    assert place(**fields).api_model_id == model


@pytest.mark.parametrize("key", ["awsCustomArn", "api_model_id"])
def test_the_region_of_an_arn_wins(key: str) -> None:
    found = place(**{key: PROFILE}, awsRegion="us-east-1")
    assert found.api_base_url == "https://bedrock-runtime.eu-west-1.amazonaws.com"
    assert found.options["awsRegion"] == "eu-west-1"
    assert found.api_model_id == PROFILE
    provider = create_provider(settings("bedrock", **{key: PROFILE}))
    assert provider.model_info().context_window == 200_000


def test_the_arn_of_a_foundation_model_is_a_plain_name() -> None:
    found = place(awsCustomArn=f"arn:aws:bedrock:eu-west-1::foundation-model/{SONNET}")
    assert found.api_model_id == f"eu.{SONNET}"


def test_the_model_behind_an_opaque_arn_may_be_named() -> None:
    named = settings("bedrock", awsCustomArn=OPAQUE, api_model_id=SONNET)
    info = create_provider(named).model_info()
    assert (info.id, info.context_window, info.reasoning_budget) == (OPAQUE, 200_000, True)
    unnamed = settings(
        "bedrock", awsCustomArn=OPAQUE, api_model_id="custom-arn", awsModelContextWindow=5000
    )
    info = create_provider(unnamed).model_info()
    assert (info.id, info.context_window) == (OPAQUE, 5000)


def test_what_is_no_arn_of_a_model_is_told() -> None:
    with pytest.raises(ConfigError, match="ARN"):
        place(awsCustomArn="arn:aws:s3:::bucket")


def test_the_address_follows_the_region_or_is_set() -> None:
    assert place().api_base_url == "https://bedrock-runtime.us-east-1.amazonaws.com"
    chinese = place(awsRegion="cn-north-1", api_model_id=PLAIN)
    assert chinese.api_base_url == "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"
    own: dict[str, Any] = {"awsBedrockEndpoint": "https://vpce-1.example.com/"}
    assert place(**own).api_base_url == "https://vpce-1.example.com"
    off = place(**own, awsBedrockEndpointEnabled=False)
    assert off.api_base_url == "https://bedrock-runtime.us-east-1.amazonaws.com"
    ours = place(**own, api_base_url="http://localhost:1")
    assert ours.api_base_url == "http://localhost:1"


def test_the_region_is_found_where_amazons_tools_find_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "config"
    file.write_text("[default]\nregion = eu-north-1\n[profile work]\nregion = eu-west-3\n")
    assert place().options["awsRegion"] == "eu-north-1"
    assert place(awsProfile="work").options["awsRegion"] == "eu-west-3"
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert place().options["awsRegion"] == "eu-west-3"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "sa-east-1")
    assert place().options["awsRegion"] == "sa-east-1"
    monkeypatch.setenv("AWS_REGION", "ca-west-1")
    assert place().options["awsRegion"] == "ca-west-1"
    assert place(awsRegion="us-west-2").options["awsRegion"] == "us-west-2"


@pytest.mark.parametrize("text", ["no section", "[default\n", "[default]\nregion = ü%(x)s\n"])
def test_a_broken_file_of_profiles_does_not_stop_us_here(text: str, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(text)
    if "region" in text:
        with pytest.raises(ConfigError, match="awsRegion"):
            place()
    else:
        assert place().options["awsRegion"] == "us-east-1"


def test_a_region_cannot_lead_elsewhere() -> None:
    with pytest.raises(ConfigError, match="awsRegion"):
        place(awsRegion="evil.example.com/#")
