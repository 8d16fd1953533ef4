"""How a lesson looks: blocks (headings, sentences, tables) and one writer a format."""
