#!/bin/sh
cat /app/title.txt > /app/README.md
