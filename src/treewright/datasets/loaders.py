"""`load_iris()` and the like: one function for each table of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from treewright.datasets.catalogue import CATALOGUE, path
from treewright.table.reading.read import read

if TYPE_CHECKING:
    import pandas as pd


class Loader(Protocol):
    """A function that gives a shipped table, whole or split into X and y."""

    @overload
    def __call__(self, return_X_y: Literal[False] = False) -> pd.DataFrame: ...

    @overload
    def __call__(self, return_X_y: Literal[True]) -> tuple[pd.DataFrame, pd.Series[Any]]: ...


def _loader(name: str) -> Loader:
    shipped = CATALOGUE[name]

    def load(return_X_y: bool = False) -> Any:
        frame = read(path(name))
        return (frame.drop(columns=shipped.target), frame[shipped.target]) if return_X_y else frame

    load.__name__ = load.__qualname__ = f"load_{name}"
    load.__doc__ = f"""{shipped.about}

    Parameters
    ----------
    return_X_y : bool, default False
        Whether to give (X, y), with y the column '{shipped.target}', instead of the whole frame.

    Examples
    --------
    >>> X, y = load_{name}(return_X_y=True)
    >>> len(X), y.name
    ({shipped.n_rows}, '{shipped.target}')
    """
    return load


load_restaurant = _loader("restaurant")
load_credit_risk = _loader("credit_risk")
load_tennis = _loader("tennis")
load_bankruptcy = _loader("bankruptcy")
load_fruit = _loader("fruit")
load_iris = _loader("iris")
load_credit_g = _loader("credit_g")
load_titanic = _loader("titanic")
load_penguins = _loader("penguins")
load_car = _loader("car")
load_vote = _loader("vote")
load_heart_c = _loader("heart_c")
load_boston = _loader("boston")
load_auto_mpg = _loader("auto_mpg")
load_kyphosis = _loader("kyphosis")
load_car_test_frame = _loader("car_test_frame")
load_airquality = _loader("airquality")
load_glass = _loader("glass")
load_weather_nominal = _loader("weather_nominal")
load_weather_numeric = _loader("weather_numeric")
