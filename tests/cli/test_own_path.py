import os

import pytest

from roo_code.cli.own_path import keep_absolute_path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"),
        (".:/usr/bin", "/usr/bin"),
        ("/usr/bin:", "/usr/bin"),
        ("::bin:./x:../y:/usr/bin", "/usr/bin"),
        (".", os.defpath),
    ],
)
def test_programs_are_not_looked_for_in_the_folder_that_one_works_in(
    monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    monkeypatch.setenv("PATH", before)
    keep_absolute_path()
    assert os.environ["PATH"] == after
