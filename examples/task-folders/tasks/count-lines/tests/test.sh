#!/bin/sh
# Half of the reward is for the file, half for the number in it.
reward=0
[ -f /app/count.txt ] && reward=0.5
[ "$(tr -d ' \n' < /app/count.txt)" = 3 ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
