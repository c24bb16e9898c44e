"""A provider as a row: which wire format, where, with which key, and where it differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, field

from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.responses_quirks import ResponsesQuirks

Protocol: TypeAlias = Literal[
    "anthropic_messages",
    "bedrock_converse",
    "gemini",
    "ollama_chat",
    "openai_chat",
    "openai_responses",
    "vertex",
]
Signing: TypeAlias = Literal["aws", "google", "qwen_oauth"]


class ModelsAt(NamedTuple):
    """Where a service lists its models."""

    path: str = "/models"
    shape: Literal["plain", "gemini", "litellm", "ollama"] = "plain"
    """`plain`: a list of objects with an `id`, by whatever names they tell the rest."""
    at_root: bool = False
    """The path begins at the root of the service and not below its `version_path`."""
    is_public: bool = False
    """No key is needed to see them."""


class ModelEndpoint(NamedTuple):
    """Where models whose names begin so are served apart from the others."""

    prefix: str
    option: str
    """The option of the settings that may name another address."""
    url: str


class ProviderSpec(Struct, frozen=True, kw_only=True):
    base_url: str
    """`{name}` in it is replaced by the option of that name, whose default `url_options` holds."""
    protocol: Protocol = "openai_chat"
    signing: Signing | None = None
    """How requests are signed where a fixed key in a header will not do."""
    url_options: Mapping[str, str] = field(default_factory=dict[str, str])
    version_path: str = ""
    """Added to an address that does not end in it."""
    default_model: str = ""
    key_variables: tuple[str, ...] = ()
    """Environment variables that may hold the key."""
    needs_key: Literal["always", "at_home", "never"] = "always"
    """`at_home`: only at the row's own address."""
    endpoint_option: str = ""
    """The option of the settings that names one of `endpoints`."""
    endpoints: Mapping[str, str] = field(default_factory=dict[str, str])
    endpoint_facts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Which table of models holds at one of the `endpoints`, where it is another."""
    model_endpoint: ModelEndpoint | None = None
    address_variable: str = ""
    """An environment variable that replaces `base_url`, all but its `version_path`."""
    replaced_path: tuple[str, str] | None = None
    """Of an address in the settings: the end that stands for another one, and that one."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    task_header: str = ""
    """The header that tells the service which task a request is of."""
    models: ModelsAt | None = field(default_factory=ModelsAt)
    """None: it does not list them."""
    advice: Mapping[str, str] = field(default_factory=dict[str, str])
    """What to do about an error, by words in it; `{model}` is the model in use."""
    quirks: ChatQuirks = field(default_factory=ChatQuirks)
    responses: ResponsesQuirks = field(default_factory=ResponsesQuirks)
