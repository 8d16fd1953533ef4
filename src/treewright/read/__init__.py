"""Reading tables: a file, standard input or a database becomes a pandas frame, or an error that says what to do.

The steps are the files. `door` looks at what was given and picks a reader; `source_file` finds the file and unpacks it;
`header`, `byte_check`, `csv_layout`, `csv_records` and `csv` read delimited text; `text_types` and `number_text` decide
which cells are numbers or dates; `parquet`, `json_lines`, `arff` and `database` read the other forms.
"""

from treewright.read.door import read

__all__ = ["read"]
