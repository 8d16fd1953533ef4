"""Files, databases and streams become a table: formats, encodings, layouts of text, and what was noticed on the way."""
