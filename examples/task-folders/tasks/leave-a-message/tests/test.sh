#!/bin/sh
reward=0
grep -qx hello /tmp/state.txt && reward=1
echo "$reward" > /logs/verifier/reward.txt
