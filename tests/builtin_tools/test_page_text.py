import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.page_text import page_lines


def shown(html: str) -> str:
    return "\n".join(page_lines(io.BytesIO(html.encode()))).strip()


def test_headings_paragraphs_and_the_title() -> None:
    html = (
        "<title>A &amp;\n B</title><h1>Head <em>line</em></h1><p>One\n  two<p>three<br>four<h3>Low"
    )
    assert shown(html) == "Title: A & B\n\n# Head line\n\nOne two\n\nthree\nfour\n\n### Low"


def test_lists_keep_their_order_and_depth() -> None:
    html = "<ul><li>one<li>two<ol><li>deep</li><li>deeper</ol></li><li>three</ul>after"
    assert shown(html) == "- one\n- two\n  1. deep\n  2. deeper\n- three\n\nafter"


def test_code_keeps_its_lines_and_blanks() -> None:
    html = (
        "<p>Call <code>f(1)</code>:</p><pre><code>def f(x):\n\n    return x &lt; 2\n</code></pre>"
    )
    assert shown(html) == "Call `f(1)`:\n\n```\ndef f(x):\n\n    return x < 2\n```"


def test_tables_are_rows_of_cells() -> None:
    html = "<table><tr><th>A<th>B</tr><tr><td>1|2<td><p>x</p><p>y</p></tr><tr><td>only</table>"
    assert shown(html) == "| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n| only |  |"


def test_tables_that_only_lay_out_a_page_are_plain_text() -> None:
    html = "<table><tr><td>left<table><tr><td>a<td>b</table></td><td>right</td></tr></table>"
    assert shown(html) == "left\n\n| a | b |\n| --- | --- |\n\nright"


def test_code_in_a_table_keeps_its_lines() -> None:
    html = "<table><tr><td><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>"
    assert shown(html) == "```\n1\n2\n```\n\n```\na = 1\nb = 2\n```"


def test_quotes_are_marked() -> None:
    assert shown("<blockquote><p>a</p><p>b</p></blockquote>c") == "> a\n> \n> b\n\nc"


def test_links_are_whole_and_only_those_that_lead_somewhere() -> None:
    html = (
        '<base href="https://x.example/docs/"><a href="a.html">a</a> <a href="/b?c=1">b</a> '
        '<a href="#top">top</a> <a href="javascript:f()">run</a> <a href="//y.example">y</a>'
        '<a href="z"><img src=i></a> <a href="http://[x">broken</a>'
    )
    assert shown(html) == (
        "[a](https://x.example/docs/a.html) [b](https://x.example/b?c=1) top run "
        "[y](https://y.example) [broken](https://x.example/docs/)"
    )


def test_images_are_named() -> None:
    assert shown('<img src=a.png alt="A  cat"><img src=b.png alt="">') == "[image: A cat]"


@pytest.mark.parametrize(
    "html",
    [
        "<script>if (a < b) '</p>ghost'</script>",
        "<style>ghost {}</style>",
        "<nav><ul><li>ghost</ul></nav>",
        "<div role=navigation>ghost<div>ghost</div>ghost</div>",
        "<div hidden>ghost</div><p aria-hidden=true>ghost</p>",
        "<svg><title>ghost</title><text>ghost</text></svg><svg/>",
        "<select><option>ghost</select><template>ghost</template><!-- ghost -->",
    ],
)
def test_what_is_not_for_reading_is_left_out(html: str) -> None:
    assert shown(f"<p>before</p>{html}<p>after</p>") == "before\n\nafter"


def test_navigation_that_never_ends_does_not_swallow_the_page() -> None:
    assert shown("<nav><a>Home</a><p>The text.") == "Home\n\nThe text."


def test_characters_that_hide_text_are_taken_out() -> None:
    assert shown("a\u202eb\u200bc\x1b[31md&#8203;e") == "abc[31mde"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<", "<"),
        ("</p></ul></table></pre></code></blockquote></a>x", "x"),
        ("<td>a<tr>b<th>c", "a\nb\nc"),
        ("<li>x", "- x"),
        ("<table><p>x", "x"),
        ("<pre>a\n b", "```\na\n b\n```"),
    ],
)
def test_broken_pages_are_put_up_with(html: str, text: str) -> None:
    assert shown(html) == text


TAGS = (
    *("p", "div", "h1", "ul", "ol", "li", "pre", "code", "a", "table", "tr", "td", "blockquote"),
    *("nav", "svg", "br", "hr", "script", "title", "select", "b"),
)
PIECES = st.one_of(
    st.sampled_from([f"<{slash}{tag}>" for tag in TAGS for slash in ("", "/")]),
    st.sampled_from(['<a href="/x">', "<div hidden>", "<svg/>", "&amp;", "<", "&#0;", "\n"]),
    st.text(max_size=8),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_no_page_is_too_strange(html: str) -> None:
    for line in page_lines(io.BytesIO(html.encode("utf-8", "replace"))):
        assert "\n" not in line
        assert "\x1b" not in line
