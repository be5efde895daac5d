#!/bin/sh
(cat /app/draft.txt; echo Ada) > /app/final.txt
