"""Tables: read from files and databases, opened from frames, and encoded for the learners.

`read` looks at what was given and picks a reader (`read_csv`, `read_arff`, `read_parquet_json`, `read_database`);
`source_file` finds the file and unpacks it; `text_types` decides which texts are numbers or dates. `frame` opens what
users have in memory; `column_kinds`, `levels` and `numbers` look at its columns; `encode` lays them out for the core,
and `target` does so for what is learnt. `schema` is all that a model remembers of its table.
"""
