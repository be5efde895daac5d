#!/bin/sh
wget -q -O /app/value.txt "$API_URL/value.txt"
