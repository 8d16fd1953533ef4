"""Tables: read from files and databases, opened from frames, and encoded for the learners.

`reading/` finds the file or database and picks a reader; `written/` decides which texts are numbers or dates. `frame`
opens what users have in memory; `column_kinds` and `levels` look at its columns; `encode` lays them out for the core,
and `target` does so for what is learnt. `schema` is all that a model remembers of its table.
"""
