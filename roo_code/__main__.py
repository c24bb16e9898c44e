"""`roo` and `python -m roo_code`: answers --version before anything is loaded."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from roo_code.version import VERSION  # noqa: PLC0415 - the rest of the program stays unloaded

        print(f"roo {VERSION}")
        return
    if any(argument.startswith(("-k", "--api-key")) for argument in sys.argv[1:]):
        from roo_code.cli.own_arguments import hide_key  # noqa: PLC0415 - before all that takes time

        hide_key()
    from roo_code.cli.main import cli  # noqa: PLC0415 - loaded only when a command will run

    cli()


if __name__ == "__main__":
    main()
