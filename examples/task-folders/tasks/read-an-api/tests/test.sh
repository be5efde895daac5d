#!/bin/sh
reward=0
[ "$(cat /app/value.txt)" = 17 ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
