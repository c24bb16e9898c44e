"""What a customer buys, and what it comes to."""

from dataclasses import dataclass, field

from money import show_amount

DISCOUNT_FROM = 5000
DISCOUNT_PERCENT = 10


@dataclass
class Purchase:
    """Items with their prices in cents."""

    items: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def add(self, name: str, price: int, count: int = 1) -> None:
        self.items.extend([(name, price)] * count)

    @property
    def discount(self) -> int:
        """What is taken off, in cents."""
        total = sum(price for _, price in self.items)
        if total > DISCOUNT_FROM:
            return total * DISCOUNT_PERCENT // 100
        return 0

    @property
    def total(self) -> int:
        return sum(price for _, price in self.items) - self.discount

    def receipt(self) -> str:
        lines = [f"{name:<12}{show_amount(price):>8}" for name, price in self.items]
        if self.discount:
            lines.append(f"{'discount':<12}{show_amount(-self.discount):>8}")
        lines.append(f"{'total':<12}{show_amount(self.total):>8}")
        return "\n".join(lines)
