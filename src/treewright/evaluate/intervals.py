"""How sure is a share that was counted; rules and scores use the same interval."""

from __future__ import annotations

from treewright.explain.share_interval import wilson_interval

__all__ = ["wilson_interval"]
