"""Where the script for R is: `python -m treewright.converters.r_script` prints it, for R's `source`."""

from __future__ import annotations

from pathlib import Path

SCRIPT = Path(__file__).with_name("rpart_to_json.R")

if __name__ == "__main__":
    print(SCRIPT)
