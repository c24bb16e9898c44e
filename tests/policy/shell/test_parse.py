import pytest

from roo_code.policy.shell.parse import parse_line


def programs(line: str) -> list[list[str | None]]:
    return [[word.text for word in command.words] for command in parse_line(line).commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a | b && c || d & e; f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a $(b) `c` <(d)", [["b"], ["c"], ["d"], ["a", None, None, None]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ("for x in $(a); do b; done", [["a"], ["b"]]),
        ("case $(a) in x) b;; esac", [["a"], ["b"]]),
        ("while a; do b; done < c", [["a"], ["b"]]),
        ("{ a; } > b; (c)", [["a"], ["c"]]),
        ("> b a c", [["a", "c"]]),
        ("a > b c", [["a", "c"]]),
        ("cat <<E | a\nq\nE", [["a"], ["cat"]]),
        ("a 'x y' \"p q\" r\\ s $'t\\x41' {u,v}", [["a", "x y", "p q", "r s", "tA", None]]),
        ("a é", [["a", "é"]]),
        ("bash -c 'a é; b'", [["bash", "-c", "a é; b"], ["a", "é"], ["b"]]),
        ("eval a b", [["eval", "a", "b"], ["a", "b"]]),
        ("f() { a; }", [["a"]]),
        ("env X=1 a", [["env", "X=1", "a"], ["a"]]),
        ("xargs -n 1 a b", [["xargs", "-n", "1", "a", "b"], ["a", "b", None]]),
    ],
)
def test_every_command_is_found(line: str, commands: list[list[str | None]]) -> None:
    assert programs(line) == commands
    assert not parse_line(line).unreadable


@pytest.mark.parametrize(
    ("line", "targets"),
    [
        ("a > b 2>> c &> d", ["b", "c", "d"]),
        ("a 2>&1 >&2 2>&- < b <<< c", []),
        ("a >& b >| d", ["b", "d"]),
        ("cat > b <<E\nx > y\nE", ["b"]),
        ("bash -c 'a > b'", ["b"]),
    ],
)
def test_what_redirections_write_is_known(line: str, targets: list[str]) -> None:
    assert [write.target.text for write in parse_line(line).writes] == targets


@pytest.mark.parametrize(
    "line",
    ["$x", "${x@P}", "echo ${!x}", "echo $((x))", "[[ $x -eq 1 ]]", "env -S a", "a() { b; }",
     "cat < /dev/tcp/a/1", "bash -c $x", "xargs sh -c", "coproc a"],
)  # fmt: skip
def test_what_cannot_be_known_is_doubted(line: str) -> None:
    parsed = parse_line(line)
    assert parsed.doubts
    assert not parsed.unreadable


@pytest.mark.parametrize(
    "line",
    ["a '", "a `b \\`c\\``", "r\\\nm", "a {x}>b", "cat <<-E\n\t$(a)\n\tE", "((a))", "a\rb", "a\0b",
     "a \u202e", "cat <<A <<B\nA\nB", "ls !(b)", "a <> b", "cat <<E c; a\nq\nE"],
)  # fmt: skip
def test_what_bash_might_read_otherwise_is_unreadable(line: str) -> None:
    assert parse_line(line).unreadable
