#!/bin/sh
# Make or renew an environment: sh config/bootstrap.sh VENV REQUIREMENTS
# Looks for Python 3.12 or newer on PATH, then among pyenv's, else fetches one with uv.
set -eu
venv=$1 requirements=$2

suits() {
    "$1" -c 'import sys; assert sys.version_info >= (3, 12); import ensurepip, sqlite3, ssl, venv' 2>/dev/null
}

candidates() {
    printf '%s\n' python3.13 python3.12 python3.14 python3 python
    ls -d "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.*/bin/python3 2>/dev/null || true
}

find_python() {
    for name in $(candidates); do
        if suits "$name"; then
            "$name" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    return 1
}

fetch_python() {
    echo "No Python 3.12 or newer here; fetching one with uv." >&2
    uv=$(command -v uv) || uv=$PWD/var/uv/bin/uv
    if ! [ -x "$uv" ]; then
        { python3 -m venv var/uv && var/uv/bin/pip install --quiet uv; } >/dev/null 2>&1 || return 1
    fi
    "$uv" python install --quiet 3.13 2>/dev/null && "$uv" python find --system 3.13
}

if ! [ -x "$venv/bin/python" ] || ! suits "$venv/bin/python"; then
    python=$(find_python) || python=$(fetch_python) || {
        echo "Pegboard needs Python 3.12 or newer with its venv module, and none was found or could be fetched." >&2
        exit 1
    }
    echo "Making $venv with $python"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
echo "Installing $requirements into $venv"
"$venv/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes -r "$requirements"
