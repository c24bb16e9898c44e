"""Results of servers as a model reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import mcp_types
from pydantic import BaseModel

from roo_code.mcp_access import McpAnswer, McpImage

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_LARGEST_IMAGE = 7_000_000
"""Characters of base64: 5 MB."""
_MOST_IMAGES = 20


def answer_of_call(result: mcp_types.CallToolResult) -> McpAnswer:
    """Texts with blank lines between them, images beside them."""
    texts: list[str] = []
    images: list[McpImage] = []
    for block in result.content:
        match block:
            case mcp_types.TextContent():
                texts.append(block.text)
            case mcp_types.ImageContent() if _is_shown(block.mime_type, block.data, images):
                images.append(McpImage(block.mime_type, block.data))
            case mcp_types.EmbeddedResource():
                texts.append(_embedded(block.resource, images))
            case mcp_types.ResourceLink():
                texts.append(f"[resource {block.uri}: {block.title or block.name}]")
            case mcp_types.ImageContent() | mcp_types.AudioContent():
                size = f"{len(block.data) * 3 // 4:,} bytes"
                texts.append(f"[{block.mime_type}, {size}, which cannot be shown]")
    if not texts and result.structured_content is not None:
        texts.append(_pretty(result.structured_content))
    text = _joined(texts, images)
    return McpAnswer(
        text=f"Error:\n{text}" if result.is_error else text,
        images=tuple(images),
        is_error=result.is_error,
        raw=_raw(result),
    )


def answer_of_read(result: mcp_types.ReadResourceResult) -> McpAnswer:
    images: list[McpImage] = []
    texts: list[str] = []
    for content in result.contents:
        if isinstance(content, mcp_types.TextResourceContents):
            texts.append(content.text)
        elif _is_shown(content.mime_type, content.blob, images):
            images.append(McpImage(content.mime_type or "", content.blob))
        else:
            kind = content.mime_type or "application/octet-stream"
            texts.append(f"[{kind}, {len(content.blob) * 3 // 4:,} bytes, which cannot be shown]")
    text = _joined(texts, images, nothing="(Empty response)")
    return McpAnswer(text=text, images=tuple(images), raw=_raw(result))


def text_of_prompt(result: mcp_types.GetPromptResult) -> str:
    texts: list[str] = []
    for message in result.messages:
        content = message.content
        if isinstance(content, mcp_types.TextContent):
            texts.append(content.text)
        elif isinstance(content, mcp_types.EmbeddedResource):
            texts.append(_embedded(content.resource, []))
    return "\n\n".join(texts)


def _embedded(
    content: mcp_types.TextResourceContents | mcp_types.BlobResourceContents,
    images: list[McpImage],
) -> str:
    if isinstance(content, mcp_types.BlobResourceContents) and _is_shown(
        content.mime_type, content.blob, images
    ):
        images.append(McpImage(content.mime_type or "", content.blob))
    return _pretty(
        content.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"blob"})
    )


def _is_shown(kind: str | None, data: str, images: list[McpImage]) -> bool:
    """Whether a model can be shown it; what is too large no service takes."""
    return kind in _IMAGES and len(data) <= _LARGEST_IMAGE and len(images) < _MOST_IMAGES


def _joined(texts: Iterable[str], images: list[McpImage], *, nothing: str = "(No response)") -> str:
    text = "\n\n".join(text for text in texts if text)
    if text:
        return text
    return f"[{len(images)} image(s) received]" if images else nothing


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _raw(result: BaseModel) -> dict[str, Any]:
    return result.model_dump(by_alias=True, mode="json", exclude_unset=True)
