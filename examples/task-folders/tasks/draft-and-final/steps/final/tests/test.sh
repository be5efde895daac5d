#!/bin/sh
reward=0
grep -q Ada /app/final.txt && [ ! -e /app/draft.txt ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
