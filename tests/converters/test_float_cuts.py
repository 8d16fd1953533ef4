"""Tests of single precision become tests of doubles that part all doubles alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thorough import examples
from treewright.converters.float_cuts import cuts_at_most, cuts_below

SINGLES = np.float32([0, 1, 0.1, 1e-45, 1e-38, 3.4028235e38, 16777216, 16777218])
EDGES = np.concatenate([SINGLES, -SINGLES, np.float32([np.inf])])


@pytest.mark.random_examples
def test_the_cut_is_the_last_double_that_rounds_to_the_left():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**32, examples(200_000), dtype=np.uint64).astype(np.uint32).view(np.float32)
    singles = np.concatenate([bits[np.isfinite(bits)], EDGES])
    cuts = [singles.astype(np.float64)]
    with np.errstate(over="ignore"):
        for target in (-np.inf, np.inf):
            cuts.append(np.nextafter(cuts[0], target))
        thresholds = np.concatenate(cuts)
        w = cuts_at_most(thresholds)
        assert (w.astype(np.float32).astype(np.float64) <= thresholds).all()
        above = np.nextafter(w, np.inf)
        finite = thresholds < np.inf
        assert (above.astype(np.float32).astype(np.float64) > thresholds)[finite].all()
        below = cuts_below(singles)
        assert (below.astype(np.float32) < singles).all()
        assert (np.nextafter(below, np.inf).astype(np.float32) >= singles).all()


@given(threshold=st.floats(allow_nan=False), x=st.floats(allow_nan=False))
def test_every_double_goes_the_same_way(threshold, x):
    with np.errstate(over="ignore", under="ignore"):
        assert (float(np.float32(x)) <= threshold) == (x <= cuts_at_most([threshold])[0])
        single = np.float32(threshold)
        assert single == -np.inf or (np.float32(x) < single) == (x <= cuts_below([single])[0])
