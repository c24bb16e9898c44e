"""A provider as a row: which wire format, where, with which key, and where it differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from roo_code.providers.protocols.openai_chat import ChatQuirks

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


@dataclass(frozen=True, kw_only=True)
class ProviderSpec:
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
    replaced_path: tuple[str, str] | None = None
    """Of an address in the settings: the end that stands for another one, and that one."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    quirks: ChatQuirks = field(default_factory=ChatQuirks)
