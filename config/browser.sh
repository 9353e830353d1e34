#!/bin/sh
# See to it that the browser tests find a browser; where none can be had, say so.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "Installing chromium for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null && exit 0
fi
echo "*** NO BROWSER: install chromium; until then the browser tests cannot run. ***" >&2
