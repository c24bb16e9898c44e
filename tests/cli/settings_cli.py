"""The settings commands as a person runs them: output, and an error as one sentence."""

import sys
from dataclasses import dataclass

import click
import pytest

from roo_code.cli.completion import completion
from roo_code.cli.config_command import config
from roo_code.cli.doctor import doctor
from roo_code.cli.main import show_error
from roo_code.cli.policy_command import policy
from roo_code.cli.profiles_command import profiles
from roo_code.errors import RooCodeError, explain

ROO = click.Group("roo", commands=[config, profiles, policy, doctor, completion])


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


class SettingsCli:
    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def __call__(self, *arguments: str) -> Ran:
        try:
            code = ROO.main(arguments, prog_name="roo", standalone_mode=False)
        except RooCodeError as error:
            show_error(explain(error))
            code = 1
        except click.ClickException as error:
            print(error.format_message(), file=sys.stderr)
            code = 1
        shown = self._captured.readouterr()
        return Ran(code if isinstance(code, int) else 0, shown.out, shown.err)
