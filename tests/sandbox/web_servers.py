"""Servers on this machine for programs in a sandbox to reach, or not."""

import http.server
import ssl
import threading
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

HERE = "127.0.0.2"
"""Another address of this machine, which programs do not take for themselves."""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def web_server(folder: Path, tls: ssl.SSLContext | None = None) -> Generator[int]:
    """Serve the files of a folder on all addresses of this machine; the port."""
    with http.server.ThreadingHTTPServer(
        ("0.0.0.0", 0), partial(_Quiet, directory=str(folder))
    ) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def make_package_index(folder: Path) -> None:
    """With one package, `tiny`."""
    wheel = "tiny-1.0-py3-none-any.whl"
    pages = folder / "simple/tiny"
    pages.mkdir(parents=True)
    (pages / "index.html").write_text(f'<a href="{wheel}">{wheel}</a>')
    with zipfile.ZipFile(pages / wheel, "w") as packed:
        packed.writestr("tiny.py", "")
        packed.writestr(
            "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
        )
        packed.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        packed.writestr("tiny-1.0.dist-info/RECORD", "")
