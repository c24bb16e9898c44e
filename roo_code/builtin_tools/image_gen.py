"""generate_image: have a picture made, and put it into the workspace."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from pathlib import PurePath
from typing import NamedTuple

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.image_services import (
    IMAGE_SERVICES,
    Form,
    ImageService,
    Order,
    Picture,
    picture_in,
)
from roo_code.builtin_tools.images import ImageAllowance, media_type
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError, RooCodeError, ToolError
from roo_code.json_text import JsonValue, from_json
from roo_code.providers.catalog import CATALOG
from roo_code.providers.endpoints import find_address, request_headers
from roo_code.providers.http import Endpoint, HttpService
from roo_code.tools import Tool, ToolContext, ToolOutcome
from roo_code.workspace.file_changes import MISSING
from roo_code.workspace.files import digest, read_bytes, read_state, replace_file
from roo_code.workspace.opening import told_plainly

PATIENCE = 300.0
_SUFFIXES = {
    "image/png": (".png",),
    "image/jpeg": (".jpg", ".jpeg"),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
}
_MOST_NAMES = 100


class GenerateImageInput(ToolInput):
    prompt: str = Field(
        min_length=1,
        validation_alias=AliasChoices("prompt", "description", "text", "instructions"),
        description="What the picture is to show, or what is to change in the one given.",
    )
    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "filename", "output_path", "output"),
        description="Where to put it, relative to the workspace. Its ending may be corrected.",
    )
    image: str | None = Field(
        default=None,
        min_length=1,
        validation_alias=AliasChoices("image", "input_image", "image_path", "source"),
        description="A picture of the workspace to start from: PNG, JPEG, GIF or WebP.",
    )


class GenerateImage(Tool[GenerateImageInput]):
    name = "generate_image"
    description = (
        "Have an image model make a picture from a description, or change one that is there. It is "
        "saved in the workspace and shown to you. Each call costs the user money."
    )
    group = "advanced"
    input_type = GenerateImageInput

    def paths(self, arguments: GenerateImageInput) -> tuple[str, ...]:
        """Under all endings that it may be given: what the service sends decides."""
        names = (next(_names(arguments.path, kind)) for kind in _SUFFIXES)
        return tuple(dict.fromkeys(names))

    async def execute(self, arguments: GenerateImageInput, context: ToolContext) -> ToolOutcome:
        _refuse_if_off(context.settings)
        context.workspace.resolve(arguments.path)  # before anything is paid for
        chosen = await asyncio.to_thread(_choose, context)  # the store of keys may be slow
        source = None
        if arguments.image is not None:
            with told_plainly(arguments.image):
                source = await asyncio.to_thread(_read_picture, arguments.image, context)
        data = await _order(chosen, Order(arguments.prompt, chosen.model, source), context.settings)
        if (kind := media_type(data)) is None:
            raise ToolError("The service sent something that is no picture; nothing was saved.")
        with told_plainly(arguments.path):
            shown = await asyncio.to_thread(_save, arguments.path, Picture(kind, data), context)
        return _outcome(shown, Picture(kind, data), context)


class _Chosen(NamedTuple):
    service: ImageService
    key: str
    model: str

    def __repr__(self) -> str:
        return f"_Chosen({self.service.provider!r}, {self.model!r})"


def _refuse_if_off(settings: Mapping[str, JsonValue]) -> None:
    experiments = settings.get("experiments")
    if not (isinstance(experiments, Mapping) and experiments.get("imageGeneration") is True):
        raise ToolError(
            "Making pictures is switched off. The user can switch it on in the settings: "
            '"experiments": {"imageGeneration": true}.'
        )


def _choose(context: ToolContext) -> _Chosen:
    settings = context.settings
    wanted = settings.get("imageGenerationProvider")
    if wanted is not None and wanted not in IMAGE_SERVICES:
        known = ", ".join(IMAGE_SERVICES)
        raise ToolError(f"imageGenerationProvider is {wanted!r}; pictures can be had of: {known}.")
    for name, service in IMAGE_SERVICES.items():
        if wanted in {None, name} and (key := _key(service, context)):
            own = settings.get("openRouterImageGenerationSelectedModel")
            model = own if name == "openrouter" else settings.get("imageGenerationModel")
            return _Chosen(service, key, str(model or service.model))
    services = [IMAGE_SERVICES[str(wanted)]] if wanted else IMAGE_SERVICES.values()
    names = [CATALOG[service.provider].key_variables[0] for service in services]
    keys = [service.keys[0] for service in services]
    raise ToolError(
        "There is no key for a service that makes pictures. Ask the user to set one of "
        f"{', '.join(names)}, or to store one of {', '.join(keys)}."
    )


def _key(service: ImageService, context: ToolContext) -> str:
    try:
        stored = [context.secret(name) for name in service.keys]
    except ConfigError as error:
        raise ToolError(f"{error} {error.hint}".strip()) from error
    given = [os.environ.get(name, "") for name in CATALOG[service.provider].key_variables]
    return next((key.strip() for key in (*stored, *given) if key.strip()), "")


def _read_picture(written: str, context: ToolContext) -> Picture:
    path = context.workspace.resolve_readable(written)
    data = read_bytes(context.workspace.home_of(path), path)
    if data is None:
        raise ToolError(f"There is no picture {written!r}.")
    if (kind := media_type(data)) is None:
        raise ToolError(f"{written!r} is not a PNG, JPEG, GIF or WebP picture.")
    if refusal := ImageAllowance.from_settings(context.settings).refusal(len(data)):
        raise ToolError(f"{written!r} cannot be sent: {refusal}.")
    return Picture(kind, data)


async def _order(chosen: _Chosen, order: Order, settings: Mapping[str, JsonValue]) -> bytes:
    form = chosen.service.encode(order)
    try:
        http = _http(chosen, form, settings)
        async with asyncio.timeout(PATIENCE), aclosing(http):
            answer = await http.fetch(form.body)
    except TimeoutError as error:
        raise ToolError(f"No picture came within {PATIENCE:.0f} s.") from error
    except RooCodeError as error:
        told = f"No picture was made. {error} {error.hint}".strip()
        raise ToolError(told.replace(chosen.key, "[key]")) from error
    try:
        parsed = from_json(answer)
    except ValueError as error:
        raise ToolError("The service sent an answer that cannot be read.") from error
    return picture_in(chosen.service, parsed)


def _http(chosen: _Chosen, form: Form, settings: Mapping[str, JsonValue]) -> HttpService:
    service = chosen.service
    spec = CATALOG[service.provider]
    at = {"api_provider": service.provider, "api_base_url": settings.get(service.address)}
    profile = ProviderSettings.read({name: value for name, value in at.items() if value})
    headers = request_headers(spec, profile, "application/json", service.key_header(chosen.key))
    return HttpService(
        Endpoint(
            provider=service.provider,
            address=find_address(spec, profile, chosen.model, form.path),
            idle_seconds=PATIENCE,
            headers={**headers, "content-type": form.content_type},
        )
    )


def _save(written: str, picture: Picture, context: ToolContext) -> str:
    """Write the picture, under a name that fits what it is; returns where it is."""
    for name in _names(written, picture.kind):
        path = context.workspace.resolve(name)
        home = context.workspace.home_of(path)
        before = read_state(home, path)
        if before is not None and name != written:
            continue  # nobody has agreed to this one being replaced
        replace_file(home, path, picture.data, before.version if before else MISSING)
        return context.workspace.relative(path)
    raise ToolError(f"{written!r} and {_MOST_NAMES} names like it are taken; nothing was saved.")


def _names(written: str, kind: str) -> Iterator[str]:
    endings = _SUFFIXES[kind]
    path = PurePath(written)
    if path.suffix.lower() in endings:
        yield written
        return
    known = {ending for group in _SUFFIXES.values() for ending in group}
    stem = str(path.with_suffix("")) if path.suffix.lower() in known else written
    yield stem + endings[0]
    yield from (f"{stem}-{number}{endings[0]}" for number in range(2, _MOST_NAMES))


def _outcome(shown: str, picture: Picture, context: ToolContext) -> ToolOutcome:
    allowance = ImageAllowance.from_settings(context.settings)
    note = f"The picture was saved as {shown} ({len(picture.data) / 1024:.1f} KB)."
    seen = {shown: digest(picture.data)}
    if refusal := allowance.refusal(len(picture.data)):
        return ToolOutcome(f"{note} It is not shown: {refusal}.", seen_files=seen)
    image = allowance.take(picture.kind, picture.data)
    return ToolOutcome(f"{note} It is shown below.", (image,), seen_files=seen)
