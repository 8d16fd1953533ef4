"""The tables that ship: what each is about, what is predicted from it, and where its file is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from treewright.errors import DataError, nearest

TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True)
class Shipped:
    """A shipped table: the column to predict, its number of rows, and what it is about in one sentence."""

    target: str
    n_rows: int
    about: str


CATALOGUE = {
    "restaurant": Shipped(
        "WillWait", 12, "Will a guest wait for a table? Row 4 contradicts the true tree, as in the lecture."
    ),
    "credit_risk": Shipped("risk", 14, "Loans with a high, moderate or low risk."),
    "tennis": Shipped("EnjoyTennis", 14, "Days on which tennis was or was not enjoyed."),
    "bankruptcy": Shipped("bankrupt", 14, "Late payments and expense ratio of people who did or did not go bankrupt."),
    "fruit": Shipped("fruit", 5, "Apples, lemons and others by colour, shape, leaf and taste."),
    "iris": Shipped("class", 150, "Three species of iris by the sizes of their leaves."),
    "credit_g": Shipped("class", 1000, "Good and bad credits of a German bank; numbers and levels mixed."),
    "titanic": Shipped("survived", 1309, "Passengers of the Titanic; ages are often missing."),
    "penguins": Shipped("species", 344, "Three species of penguin on three islands; a few values are missing."),
    "car": Shipped("class", 1728, "Whether a car is acceptable, by six attributes; all combinations."),
    "vote": Shipped("Class", 435, "Party of a member of Congress by sixteen votes; many are missing."),
    "heart_c": Shipped("num", 303, "Heart disease in Cleveland by age, pains and measurements."),
    "boston": Shipped("medv", 506, "Median value of houses by district of Boston, 1970."),
    "auto_mpg": Shipped("class", 398, "Miles per gallon of cars from 1970 to 1982."),
    "kyphosis": Shipped("Kyphosis", 81, "Children after an operation on the spine."),
    "car_test_frame": Shipped("Mileage", 60, "Mileage of cars of 1990 by price, country, type and engine."),
    "airquality": Shipped("Ozone", 116, "Ozone in New York by sun, wind and temperature, 1973."),
    "glass": Shipped("Type", 214, "Kind of glass by refraction and chemistry."),
    "weather_nominal": Shipped("play", 14, "Days by weather in words, and whether there was play."),
    "weather_numeric": Shipped("play", 14, "The same days, with temperature and humidity as numbers."),
}


def names() -> list[str]:
    """Give the names of the tables that ship.

    >>> names()[:3]
    ['restaurant', 'credit_risk', 'tennis']
    """
    return list(CATALOGUE)


def path(name: str) -> Path:
    """Give the CSV file of a table that ships.

    >>> path("iris").name
    'iris.csv'
    >>> path("irs")
    Traceback (most recent call last):
    treewright.errors.DataError: No table 'irs' ships with treewright. Did you mean 'iris'?
    """
    if name not in CATALOGUE:
        raise DataError(f"No table '{name}' ships with treewright. {nearest(name, CATALOGUE)}")
    return TABLES / f"{name}.csv"
