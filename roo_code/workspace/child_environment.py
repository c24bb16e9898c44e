"""The environment of what we start: a list of variables, not an inheritance.

Ours holds keys of services and whatever else a user exports. A program that the model runs, a
server of a project or a tool of a stranger has no business with them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache

KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "PWD", "LANG", "LANGUAGE", "LC_*",
    "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TZ", "TMPDIR",
    "TMP", "TEMP", "XDG_*", "DISPLAY", "WAYLAND_DISPLAY", "SSH_AUTH_SOCK", "CI", "MAKEFLAGS",
    "PAGER", "MANPATH", "INFOPATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH",
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "SOURCE_DATE_EPOCH",
    "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE",
    "PYENV_*", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONPATH",
    "PYTHONWARNINGS", "PYTHONIOENCODING", "PYTHONUTF8", "PIP_INDEX_URL", "PIP_CONFIG_FILE",
    "UV_PYTHON", "UV_CACHE_DIR", "NVM_*", "NODE_ENV", "NODE_PATH", "NODE_OPTIONS",
    "NODE_EXTRA_CA_CERTS", "VOLTA_HOME", "FNM_*", "PNPM_HOME", "BUN_INSTALL", "DENO_INSTALL",
    "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "RUST_BACKTRACE", "GOPATH",
    "GOROOT", "GOBIN", "GOFLAGS", "GOPROXY", "GOMODCACHE", "GOCACHE", "CGO_ENABLED", "JAVA_HOME",
    "JDK_HOME", "JAVA_OPTS", "MAVEN_OPTS", "M2_HOME", "GRADLE_HOME", "GRADLE_USER_HOME",
    "ANDROID_HOME", "ANDROID_SDK_ROOT", "SDKMAN_*", "DOTNET_ROOT", "DOTNET_CLI_*", "RBENV_*",
    "GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "ASDF_*", "MISE_DATA_DIR", "NIX_PATH", "NIX_PROFILES",
    "NIX_SSL_CERT_FILE", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "ftp_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "FTP_PROXY", "SystemRoot", "ComSpec",
    "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "ROO_HOME",
)  # fmt: skip
"""What programs need to run and to build; `*` stands for any ending.

No editor, which nobody could type into, and no message bus, which opens the user's keyring.
"""

_SECRET = re.compile(
    r"(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|PWD|CREDENTIALS?|CREDS?"
    r"|AUTH|COOKIES?|SESSION|PAT|DSN|PRIVATE|CERT_PASSWORD)(?:_|$)|APIKEY|SECRET|^AWS_|^AZURE_"
    r"|^GOOGLE_|^GH_|^GITHUB_|^GITLAB_|(?:DATABASE|REDIS|MONGO\w*|POSTGRES\w*|AMQP)_?UR[IL]$"
)
_NO_SECRET = frozenset({"PWD", "SSH_AUTH_SOCK"})
_PASSWORD_IN_ADDRESS = re.compile(r"://[^/@\s]*:[^/@\s]+@")


def child_environment(
    added: Iterable[str] = (), environ: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Of our variables those of the list and what a user has `added`, as names or with `*`.

    A name says what it says; a pattern does not reach what looks like a secret.
    """
    ours = os.environ if environ is None else environ
    more = tuple(added)
    return {
        name: value
        for name, value in ours.items()
        if name in more
        or ((_is_kept(name) or _matches(name, more)) and not looks_secret(name, value))
    }


def looks_secret(name: str, value: str = "") -> bool:
    """By its name, or by an address in it with a password; a proxy is of no use without its own."""
    if name in _NO_SECRET or name.lower().endswith("_proxy"):
        return False
    return bool(_SECRET.search(name.upper()) or _PASSWORD_IN_ADDRESS.search(value))


@cache
def _is_kept(name: str) -> bool:
    return _matches(name, KEPT)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
