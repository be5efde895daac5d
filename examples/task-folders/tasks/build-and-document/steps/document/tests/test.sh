#!/bin/sh
. /tests/helper.sh
if grep -q "$TITLE" /app/README.md && [ -f /app/greet.sh ]; then give 1; else give 0; fi
