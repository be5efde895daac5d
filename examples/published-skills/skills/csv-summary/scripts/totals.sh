#!/bin/sh
# Sums up the last column by the first one, without the header and without rows that have no number.
awk -F, 'NR > 1 && $NF ~ /^[0-9]+$/ { sum[$1] += $NF } END { for (name in sum) print "- " name ": " sum[name] }' "$1" | sort
