#!/bin/sh
sort /app/names.txt > /app/sorted.txt
