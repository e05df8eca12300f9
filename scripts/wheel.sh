#!/usr/bin/env bash
# Build the wheel and the source archive, install each into an environment that holds nothing else,
# and use it from an empty folder: the command, a release, the files that belong to the package.
#
#     bash scripts/wheel.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 -m venv "$place/build"
"$place/build/bin/python" -m pip install --quiet 'build>=1.2'
"$place/build/bin/python" -m build --outdir "$place/dist" . >/dev/null

for archive in "$place"/dist/*.whl "$place"/dist/*.tar.gz; do
    echo "== $(basename "$archive")"
    rm -rf "$place/bare" "$place/work"
    python3 -m venv "$place/bare"
    "$place/bare/bin/python" -m pip install --quiet "$archive"
    mkdir "$place/work"
    (
        cd "$place/work"
        "$place/bare/bin/leastnoise" --version
        printf 'pay\n100\n200\n' >pay.csv
        "$place/bare/bin/leastnoise" release pay.csv --stat median --column pay --bounds 0 1000 --epsilon 1
        "$place/bare/bin/leastnoise" reproduce piecewise-laplace --quick >/dev/null
        "$place/bare/bin/python" - <<'PYTHON'
from importlib.resources import files

for name in ("py.typed", "app/explorer.css", "reproduce/papers"):
    if not files("leastnoise").joinpath(name).is_file() and not files("leastnoise").joinpath(name).is_dir():
        raise SystemExit(f"{name} is not in the package")
PYTHON
    )
done
