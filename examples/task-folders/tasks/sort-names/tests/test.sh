#!/bin/sh
reward=0
[ "$(tr '\n' , < /app/sorted.txt)" = Ada,Bo,Cleo, ] && reward=1
echo "$reward" > /logs/verifier/reward.txt
