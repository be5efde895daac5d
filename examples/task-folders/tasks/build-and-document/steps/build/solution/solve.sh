#!/bin/sh
echo 'echo hello' > /app/greet.sh
