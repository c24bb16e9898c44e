"""Which grammar reads which files. Each has its query in `definitions_queries`."""

from __future__ import annotations

from pathlib import PurePath

_SUFFIXES = {
    "bash": "sh bash zsh ksh bats",
    "c": "c h",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp tpp inl cu cuh",
    "csharp": "cs csx",
    "css": "css",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "go": "go",
    "graphql": "graphql gql graphqls",
    "haskell": "hs",
    "hcl": "tf hcl tfvars",
    "java": "java",
    "javascript": "js jsx mjs cjs",
    "julia": "jl",
    "kotlin": "kt kts",
    "lua": "lua",
    "markdown": "md markdown mdx mdc",
    "objc": "m mm",
    "ocaml": "ml",
    "perl": "pl pm",
    "php": "php phtml",
    "powershell": "ps1 psm1",
    "proto": "proto",
    "python": "py pyi pyw",
    "r": "r",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "solidity": "sol",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "zig": "zig",
}
_BY_SUFFIX = {
    f".{suffix}": language
    for language, suffixes in _SUFFIXES.items()
    for suffix in suffixes.split()
}
_SAME_QUERY = {"tsx": "typescript"}

LANGUAGES = tuple(_SUFFIXES)


def language_of(name: str) -> str | None:
    """The grammar for a file of this name; None if there is none."""
    return _BY_SUFFIX.get(PurePath(name).suffix.lower())


def query_name(language: str) -> str:
    return _SAME_QUERY.get(language, language)
