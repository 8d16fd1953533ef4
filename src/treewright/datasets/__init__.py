"""Small tables that ship with treewright: the lecture's own, and well-known real ones.

`names()` lists them, `path(name)` is the CSV file, `load_<name>()` reads it. Where each is from: `tables/SOURCES.md`.
"""

from treewright.datasets.catalogue import names, path
from treewright.datasets.loaders import (
    load_airquality,
    load_auto_mpg,
    load_bankruptcy,
    load_boston,
    load_car,
    load_car_test_frame,
    load_credit_g,
    load_credit_risk,
    load_fruit,
    load_glass,
    load_heart_c,
    load_iris,
    load_kyphosis,
    load_penguins,
    load_restaurant,
    load_tennis,
    load_titanic,
    load_vote,
    load_weather_nominal,
    load_weather_numeric,
)
from treewright.datasets.restaurant_guests import make_restaurant

__all__ = [
    "load_airquality",
    "load_auto_mpg",
    "load_bankruptcy",
    "load_boston",
    "load_car",
    "load_car_test_frame",
    "load_credit_g",
    "load_credit_risk",
    "load_fruit",
    "load_glass",
    "load_heart_c",
    "load_iris",
    "load_kyphosis",
    "load_penguins",
    "load_restaurant",
    "load_tennis",
    "load_titanic",
    "load_vote",
    "load_weather_nominal",
    "load_weather_numeric",
    "make_restaurant",
    "names",
    "path",
]
