"""The command line: `treewright VERB …`, one small file a verb.

`main` finds the verb and turns errors into exit codes; `options` are the options that verbs share; `table_input`,
`model_input` and `result_output` are the ways in and out; `screen` and `progress` are what people see.
"""
