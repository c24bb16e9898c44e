"""Amounts of money, kept as whole cents."""


def parse_amount(text: str) -> int:
    """Cents of an amount such as "12.34", "12.3" or "12"."""
    whole, _, fraction = text.partition(".")
    return int(whole) * 100 + int(fraction.ljust(2, "0") or 0)


def show_amount(cents: int) -> str:
    """The amount with two decimals."""
    return f"{cents // 100}.{cents % 100}"
