#!/bin/sh
reward=0
[ -f /app/report/status.txt ] && [ "$(cat /app/report/status.txt)" = "$WANTED" ] && [ -s /app/notes.txt ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
