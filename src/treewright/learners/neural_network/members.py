"""Several networks as one: their hidden units side by side, their outputs averaged before the last bend.

The sums of the outputs are averaged, not what becomes of them. So the average is a network itself: everything that
answers, explains or exports a network takes it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treewright import _core
from treewright.learners.neural_network.layers import Array, Layers
from treewright.learners.neural_network.training import Course

_MEMBERS = 45  # of the random words: the seeds of networks that are averaged


def member_seeds(seed: int, n_models: int) -> list[int]:
    """Give a seed for each network; the first has the given one.

    Examples
    --------
    >>> member_seeds(7, 1), len(set(member_seeds(7, 4)))
    ([7], 4)
    """
    words = _core.drawn_words(seed, _MEMBERS, 0, n_models - 1) >> np.uint64(33)  # 31 bits, as seeds have
    return [seed, *(int(word) for word in words)]


def widened(layers: Layers, n_models: int) -> Layers:
    """Give the layers of so many networks side by side.

    Examples
    --------
    >>> widened(Layers((5, 3, 2, 1)), 4).sizes
    (5, 12, 8, 1)
    """
    first, *hidden, last = layers.sizes
    return Layers((first, *(n_models * size for size in hidden), last), layers.tied)


def side_by_side(layers: Layers, members: Sequence[Array]) -> Array:
    """Give the weights of one network whose sums are the mean of those of the members.

    The first weights stand beside each other, those between hidden layers in blocks with zeros around them, the last
    ones below each other and divided by the number of members.

    Examples
    --------
    >>> two = [np.array([2.0, 4.0, 0.5, 1.0]), np.array([3.0, 8.0, 0.25, 3.0])]  # of layers of 1, 1 and 1 unit
    >>> side_by_side(Layers((1, 1, 1)), two).tolist()
    [2.0, 3.0, 2.0, 4.0, 0.5, 0.25, 2.0]
    """
    n = len(members)
    whole = np.zeros(widened(layers, n).n_numbers, dtype=members[0].dtype)
    weights, biases = widened(layers, n).parts(whole)
    last = len(layers.shapes) - 1
    for place, numbers in enumerate(members):
        own_weights, own_biases = layers.parts(numbers)
        for layer, (n_in, n_out) in enumerate(layers.shapes):
            rows = slice(None) if layer == 0 else slice(place * n_in, (place + 1) * n_in)
            columns = slice(None) if layer == last else slice(place * n_out, (place + 1) * n_out)
            share = n if layer == last else 1
            weights[layer][rows, columns] += own_weights[layer] / share
            biases[layer][columns] += own_biases[layer] / share
    return whole


def averaged(courses: Sequence[Course]) -> Course:
    """Give the mean losses of the epochs that all networks have done.

    Examples
    --------
    >>> averaged([Course([3.0, 2.0, 1.0]), Course([1.0, 1.0])]).losses
    [2.0, 1.5]
    """
    if len(courses) == 1:
        return courses[0]
    losses = zip(*(course.losses for course in courses), strict=False)
    held_out = zip(*(course.held_out_losses for course in courses), strict=False)
    return Course(
        [float(np.mean(each)) for each in losses],
        [float(np.mean(each)) for each in held_out],
        all(course.settled for course in courses),
    )
