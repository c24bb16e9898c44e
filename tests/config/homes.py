"""A user's home, a workspace and a host with settings in them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roo_code.config.context_proxy import ContextProxy
from roo_code.config.layers import LayeredSettings
from roo_code.config.profiles import ProviderSettingsManager
from roo_code.config.resolved import Settings
from roo_code.config.secrets import SecretStore
from roo_code.config.settings_exchange import SettingsExchange
from roo_code.config.settings_file import SettingsFile


class Home:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "home"
        self.workspace = folder / "workspace"
        self.host_file = folder / "etc" / "settings.json"
        self.environ: dict[str, str] = {
            "ROO_HOST_SETTINGS": str(self.host_file),
            "ROO_SECRETS": "file",
        }

    @property
    def user_file(self) -> Path:
        return self.path / "settings" / "settings.json"

    @property
    def project_file(self) -> Path:
        return self.workspace / ".roo" / "settings.json"

    @property
    def profiles_file(self) -> Path:
        return self.path / "settings" / "profiles.json"

    @property
    def secrets_file(self) -> Path:
        return self.path / "settings" / "secrets.json"

    def write(self, path: Path, content: str | Mapping[str, Any]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        path.write_text(text, encoding="utf-8")
        return path

    def user(self, content: str | Mapping[str, Any]) -> Path:
        return self.write(self.user_file, content)

    def project(self, content: str | Mapping[str, Any]) -> Path:
        return self.write(self.project_file, content)

    def layers(self) -> LayeredSettings:
        return LayeredSettings(self.workspace, home=self.path, environ=self.environ)

    def resolve(self, task: Mapping[str, Any] | None = None) -> Settings:
        return self.layers().resolve(task)

    def secrets(self) -> SecretStore:
        return SecretStore(self.path, environ=self.environ)

    def proxy(self) -> ContextProxy:
        return ContextProxy(self.layers(), self.secrets())

    def profiles(self) -> ProviderSettingsManager:
        return ProviderSettingsManager(self.path, self.secrets())

    def exchange(self) -> SettingsExchange:
        return SettingsExchange(self.profiles(), SettingsFile(self.user_file), self.secrets())

    def contents(self) -> dict[str, bytes]:
        """Every file below the home and the workspace."""
        return {
            str(path): path.read_bytes()
            for folder in (self.path, self.workspace)
            for path in folder.rglob("*")
            if path.is_file()
        }


def messages(settings: Settings) -> list[str]:
    return [str(problem) for problem in settings.problems]
