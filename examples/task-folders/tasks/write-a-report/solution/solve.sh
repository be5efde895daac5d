#!/bin/sh
mkdir -p /app/report
echo done > /app/report/status.txt
echo nothing special > /app/notes.txt
