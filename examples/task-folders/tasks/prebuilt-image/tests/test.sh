#!/bin/sh
reward=0
[ "$(cat /tmp/colour.txt)" = "$WANTED" ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
