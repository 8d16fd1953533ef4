"""The verbs of the command line, a file each, with the verb as `command`."""
