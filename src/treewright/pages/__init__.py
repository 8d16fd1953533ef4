"""Pages of headings, sentences, tables and text, written once as blocks and then as plain text, Markdown or HTML."""
