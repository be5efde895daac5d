#!/bin/sh
wc -l < /app/requests.txt > /app/count.txt
