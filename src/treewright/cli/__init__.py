"""The command line: `treewright VERB …`, one small file a verb in `verbs/`.

`main` finds the verb and turns errors into exit codes; `options` are the options that verbs share; `inputs` and
`outputs` are the ways in and out, `fitted_model` is what verbs ask of a model; `screen` is what people see.
"""
