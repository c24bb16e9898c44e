import pytest

from roo_code.workspace.child_environment import child_environment, looks_secret

ORDINARY = {
    "PATH": "/usr/bin", "HOME": "/home/ada", "LC_TIME": "C", "VIRTUAL_ENV": "/venv", "CI": "1",
    "SSH_AUTH_SOCK": "/run/agent", "GOPATH": "/go", "https_proxy": "http://ada:pw@proxy:3128",
    "NVM_DIR": "/home/ada/.nvm", "XDG_CONFIG_HOME": "/home/ada/.config", "PWD": "/work",
}  # fmt: skip
SECRET = {
    "ANTHROPIC_API_KEY": "sk", "GITHUB_TOKEN": "gh", "AWS_ACCESS_KEY_ID": "AK", "AWS_PROFILE": "x",
    "NPM_TOKEN": "npm", "DB_PASSWORD": "pw", "DATABASE_URL": "postgres://db", "MYSECRETS": "s",
    "STRIPE_SECRET_KEY": "sk", "ROO_PASSPHRASE": "pw", "SENTRY_DSN": "https://x",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus", "EDITOR": "vi", "PIP_PASSWORD": "pw",
    "XDG_SESSION_COOKIE": "c",
}  # fmt: skip


def test_children_get_what_programs_need_and_nothing_else() -> None:
    assert child_environment(environ=ORDINARY | SECRET) == ORDINARY


def test_what_the_user_names_is_handed_on_even_if_it_is_a_secret() -> None:
    given = ORDINARY | SECRET
    assert child_environment(["GITHUB_TOKEN", "EDITOR"], given) == {
        **ORDINARY, "GITHUB_TOKEN": "gh", "EDITOR": "vi",
    }  # fmt: skip


def test_a_pattern_does_not_reach_secrets() -> None:
    given = {"MY_COLOUR": "red", "MY_TOKEN": "t", "MY_DB": "postgres://ada:pw@db/x"}
    assert child_environment(["MY_*"], given) == {"MY_COLOUR": "red"}
    assert child_environment(["*"], given | SECRET) == {"MY_COLOUR": "red", "EDITOR": "vi"}
    assert child_environment(["MY_DB"], given) == {"MY_DB": given["MY_DB"]}


def test_an_address_with_a_password_is_a_secret_under_any_name() -> None:
    given = {"PIP_INDEX_URL": "https://ada:pw@index/simple", "GOPROXY": "https://proxy.golang.org"}
    assert child_environment(environ=given) == {"GOPROXY": "https://proxy.golang.org"}


@pytest.mark.parametrize("name", ["KEYBOARD", "MONKEY", "TOKENIZERS_PARALLELISM", "PATH", "AUTHOR"])
def test_a_word_that_only_looks_alike_is_no_secret(name: str) -> None:
    assert not looks_secret(name)


def test_our_own_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    monkeypatch.setenv("TZ", "UTC")
    found = child_environment()
    assert found["TZ"] == "UTC"
    assert "OPENAI_API_KEY" not in found
