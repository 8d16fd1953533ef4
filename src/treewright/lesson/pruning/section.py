"""What a pruning section holds: blocks to read and facts as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.pages.blocks import Block


@dataclass(frozen=True)
class PruningLesson:
    """The steps of pruning, as blocks for a page and as plain values."""

    blocks: tuple[Block, ...]
    facts: dict[str, Any]
