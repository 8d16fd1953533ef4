#!/usr/bin/env bash
# From a table to a tree to answers, on 1,000 German credits. Use: bash credit.sh [FOLDER]
set -euo pipefail
examples="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-build/demo}"

run() { # show a command as one would type it, then its output
  printf '\n$ %s\n' "$*"
  "$@"
}

python "$examples/split_credit.py" "$folder"
cd "$folder"
run treewright profile train.csv
run treewright train train.csv --target class --out credit.tw
run treewright predict credit.tw new.csv --proba
run treewright evaluate credit.tw test.csv --fail-under accuracy=0.7
run treewright verify credit.tw
