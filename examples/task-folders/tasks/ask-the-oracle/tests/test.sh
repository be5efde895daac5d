#!/bin/sh
reward=0
grep -q swordfish /app/secret.txt && reward=1
echo "$reward" > /logs/verifier/reward.txt
