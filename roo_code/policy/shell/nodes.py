"""The grammar's kinds of nodes, as far as we know what bash does with them."""

from __future__ import annotations

import re

BLOCKS = frozenset(
    {
        *("program", "list", "pipeline", "negated_command", "subshell", "do_group"),
        *("if_statement", "elif_clause", "else_clause", "while_statement", "case_statement"),
        *("case_item", "compound_statement", "for_statement"),
    }
)
WORDS = frozenset(
    {
        *("word", "string", "raw_string", "ansi_c_string", "concatenation", "number"),
        *("simple_expansion", "expansion", "command_substitution", "process_substitution"),
        *("arithmetic_expansion", "extglob_pattern", "brace_expression"),
    }
)
EXPANSIONS = frozenset(
    {
        *("simple_expansion", "expansion", "command_substitution", "process_substitution"),
        "arithmetic_expansion",
    }
)
TOKENS = frozenset(
    {
        *(";", "&", "&&", "||", "|", "|&", "\n", ";;", "(", ")", "{", "}", "!", "esac"),
        *("if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "in", "case"),
    }
)
RESERVED = frozenset(
    {
        *("if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "in", "case"),
        *("esac", "select", "function", "{", "}", "!", "[[", "]]", "coproc"),
    }
)
FILE_TESTS = frozenset(f"-{letter}" for letter in "abcdefghkLnprsStuwxzGNO")
NUMBER_TESTS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"})
TEST_TOKENS = frozenset({"[", "]", "[[", "]]", "=", "==", "!=", "&&", "||", "!", "(", ")"})
TEST_PARTS = frozenset({"binary_expression", "unary_expression", "parenthesized_expression"})

SIMPLE_VARIABLE = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*|[0-9@*])|[#?$!-])")
HARMLESS_EXPANSION = re.compile(
    r"\$\{#?(?:([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])|[#?])"
    r"(?:(?::?[-+]|%%?|##?)[A-Za-z0-9_./,*?-]*|:[0-9]+(?::[0-9]+)?)?\}"
)
HARMLESS_ARITHMETIC = re.compile(r"\$\(\([0-9+*/%() -]*\)\)")
HERE_DELIMITER = re.compile(r"""(['"]?)([A-Za-z_][A-Za-z0-9_]*)\1""")
