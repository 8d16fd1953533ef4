"""What models of many trees share: how trees are kept, saved, asked and explained."""
