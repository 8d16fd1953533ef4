"""`python -m treewright` is the command line."""

from treewright.cli.main import main

if __name__ == "__main__":
    main()
