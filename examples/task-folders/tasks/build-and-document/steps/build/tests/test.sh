#!/bin/sh
. /tests/helper.sh
if [ "$(sh /app/greet.sh)" = hello ]; then give 1; else give 0; fi
