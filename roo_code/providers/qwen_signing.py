"""QwenSigner: requests carry the token of the user's sign-in, renewed before it expires."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from roo_code.config.schema import ProviderSettings
from roo_code.errors import TimedOut
from roo_code.providers.dialing import Address
from roo_code.providers.own_thread import in_own_thread
from roo_code.providers.qwen_credentials import TOKEN_URL, good_sign_in, sign_in_file

_RENEWAL_SECONDS = 60.0
_BEARER = "Bearer "


class QwenSigner:
    """The file is read for every request: Qwen Code may have renewed the token in it.

    In a thread, which ends its work whoever leaves: a token that was handed out must be written,
    since the one before it is void.
    """

    def __init__(self, settings: ProviderSettings, token_url: str = TOKEN_URL) -> None:
        self._has_key = settings.api_key is not None
        self._path = sign_in_file(settings)
        self._token_url = token_url
        self._distrusted = ""

    async def sign(self, address: Address, body: bytes) -> dict[str, str]:
        if self._has_key:  # which the wire format has put in its place
            return {}
        find = partial(good_sign_in, self._path, self._distrusted, self._token_url)
        try:
            found = await in_own_thread(find, _RENEWAL_SECONDS)
        except TimeoutError as error:
            raise TimedOut(f"Qwen gave no new token in {_RENEWAL_SECONDS:g} s.") from error
        return {"authorization": _BEARER + found.token}

    def distrusted(self, signature: Mapping[str, str]) -> bool:
        self._distrusted = signature.get("authorization", "").removeprefix(_BEARER)
        return not self._has_key
