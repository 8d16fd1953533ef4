import pytest

from treewright.inspection.support import wilson_interval


def test_the_interval_of_a_published_example_is_reproduced() -> None:
    # Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3: 81/263 and 15/148.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)


def test_a_perfect_score_is_not_certain() -> None:
    low, high = wilson_interval(29, 29)
    assert high == 1.0
    assert low == pytest.approx(0.8830, abs=5e-5)


def test_hits_and_misses_are_mirror_images() -> None:
    for hits in range(21):
        low, high = wilson_interval(hits, 20)
        assert wilson_interval(20 - hits, 20) == pytest.approx((1 - high, 1 - low), abs=1e-12)
        assert 0 <= low <= hits / 20 <= high <= 1


def test_no_trials_tell_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("hits", "trials", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0)])
def test_impossible_counts_and_levels_are_refused(hits: int, trials: int, level: float) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        wilson_interval(hits, trials, level)
