"""M5 model trees (Quinlan 1992): grown by squared errors, with an equation in every leaf."""

from __future__ import annotations

from treewright.lesson.methods.cart import CartMethod


class ModelTreeMethod(CartMethod):
    """Grows as CART does for numbers; what is new comes afterwards."""

    title = "Model tree"

    @property
    def criterion(self) -> str:
        """Cuts are judged by squared errors."""
        return "squared_error"

    def introduction(self) -> list[str]:
        """Say how a model tree is made."""
        return [
            *super().introduction(),
            "Then every node gets a linear equation on the columns that are asked below it, and a subtree stays only "
            "where it answers better than the equation of its node.",
        ]
