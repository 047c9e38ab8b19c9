"""The faces of the product. Each calls ``app`` and nothing below it; none knows another."""
