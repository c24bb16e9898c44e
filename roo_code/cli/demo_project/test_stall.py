"""What the stall promises its customers."""

import unittest

from money import parse_amount, show_amount
from stall import Purchase


class MoneyTest(unittest.TestCase):
    def test_an_amount_is_read_with_or_without_decimals(self) -> None:
        amounts = [parse_amount(text) for text in ("12", "12.3", "12.34")]
        self.assertEqual(amounts, [1200, 1230, 1234])

    def test_an_amount_is_shown_with_two_decimals(self) -> None:
        self.assertEqual(show_amount(1234), "12.34")
        self.assertEqual(show_amount(305), "3.05")


class DiscountTest(unittest.TestCase):
    def test_a_small_purchase_has_no_discount(self) -> None:
        purchase = Purchase()
        purchase.add("apples", 4999)
        self.assertEqual(purchase.total, 4999)

    def test_the_discount_begins_at_exactly_fifty(self) -> None:
        purchase = Purchase()
        purchase.add("cheese", 1250, count=4)
        self.assertEqual(purchase.total, 4500)

    def test_the_discount_is_rounded_to_the_nearest_cent(self) -> None:
        purchase = Purchase()
        purchase.add("honey", 5995)
        self.assertEqual(purchase.discount, 600)


class ReceiptTest(unittest.TestCase):
    def test_the_receipt_adds_up(self) -> None:
        purchase = Purchase()
        purchase.add("bread", 305)
        purchase.add("eggs", 290)
        bread, eggs, total = purchase.receipt().splitlines()
        self.assertEqual(eggs, "eggs            2.90")
        self.assertEqual(total, "total           5.95")
        self.assertEqual(bread, "bread           3.05")


if __name__ == "__main__":
    unittest.main()
