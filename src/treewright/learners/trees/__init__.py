"""One tree: CART, ID3, C4.5, CHAID, conditional inference trees, oblique trees, model trees."""
