"""Text cells as people write them: numbers, money, dates and times, recognised by the whole column."""
