#!/usr/bin/env bash
# A newcomer's first ten minutes, timed: clone into an empty folder, install into a new virtual
# environment, run the demo, release a first number of a CSV file made here.
#
#     bash scripts/newcomer.sh [REPOSITORY]
#
# REPOSITORY is what git clones; without it, the clone that this script stands in.
set -euo pipefail

repository=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
begun=$SECONDS

step() { printf '\n== %s (after %d s)\n' "$1" $((SECONDS - begun)); }

cd "$place"
step "clone"
git clone --quiet --depth 1 "file://$repository" leastnoise 2>/dev/null || git clone --quiet "$repository" leastnoise

step "install into a new virtual environment"
python3 -m venv env
env/bin/python -m pip install --quiet './leastnoise[demo]'

step "the demo"
env/bin/leastnoise demo

step "a first private release"
{
    echo "age,region,pay"
    for i in $(seq 1 2000); do echo "$((18 + i % 50)),N,$((24000 + 13 * i))"; done
} >pay.csv
env/bin/leastnoise inspect pay.csv
env/bin/leastnoise release pay.csv --stat median --column pay --bounds 0 1000000 --epsilon 1

step "done"
if ((SECONDS - begun > 600)); then
    echo "this took more than ten minutes" >&2
    exit 1
fi
