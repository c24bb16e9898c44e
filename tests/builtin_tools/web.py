"""Pages on a local server, and a browser to open them in."""

import functools
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from roo_code.builtin_tools.browser_chromium import find_chromium, require_playwright
from roo_code.errors import ToolError

FORM = """
<!doctype html><title>Form</title>
<style>body { margin: 0; height: 3000px } #far { position: absolute; top: 2500px }
#box { position: absolute; left: 300px; top: 200px; width: 100px; height: 100px; background: red }
</style>
<h1>A form</h1>
<label>Your name <input id=name></label>
<input placeholder="Your town">
<select id=colour><option>red<option>blue</select>
<button onclick="console.log('saved ' + document.querySelector('#name').value)">Save</button>
<button class=two>Twice</button><button class=two>Twice</button>
<a id=far href="/second">Onward</a>
<a href="/second" target=_blank>New window</a>
<div id=box></div>
<script>
for (const kind of ['mousemove', 'mousedown'])
    box.addEventListener(kind, e => console.info(kind, e.clientX, e.clientY));
document.addEventListener('keydown', e => console.log('key', e.ctrlKey, e.key));
document.addEventListener('scroll', e => console.log('scrolled to', scrollY));
colour.addEventListener('change', e => console.log('chose', e.target.value));
</script>
"""
TROUBLE = """
<!doctype html><title>Trouble</title><script>
console.warn('careful'); console.error('bad'); fetch('/missing');
setTimeout(() => { throw new TypeError('it broke') });
setTimeout(() => confirm('Sure?'), 50);
</script>
"""
PAGES = {
    "/form": FORM,
    "/second": "<!doctype html><title>Second</title><p>The second page</p>",
    "/trouble": TROUBLE,
    "/busy": "<!doctype html><title>Busy</title><button onclick='for (;;) ;'>Hang</button>",
    "/flood": "<script>for (let n = 0; n < 5000; n++) console.log('x'.repeat(5000), n)</script>",
    "/self-closing": "<script>window.close()</script><p>still here",
}


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path.partition("?")[0])
        body = (page or "not here").encode()
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def served() -> Generator[Callable[[str], str]]:
    """Addresses of pages, by their names."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        thread = threading.Thread(target=functools.partial(server.serve_forever, 0.01))
        thread.start()
        yield lambda name: f"http://127.0.0.1:{server.server_port}/{name}"
        server.shutdown()
        thread.join()


def _why_not() -> str:
    """Why no browser can be started here; empty if one can."""
    try:
        require_playwright()
        find_chromium("")
    except ToolError as error:
        return str(error)
    return ""


needs_browser = pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "there is one")
