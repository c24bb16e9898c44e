"""`roo` and `python -m roo_code`: answers --version before anything is loaded."""

import sys


def main() -> None:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from roo_code.version import VERSION  # noqa: PLC0415 - the rest of the program stays unloaded

        print(f"roo {VERSION}")
        return
    from roo_code.cli.main import cli  # noqa: PLC0415 - loaded only when a command will run

    cli()


if __name__ == "__main__":
    main()
