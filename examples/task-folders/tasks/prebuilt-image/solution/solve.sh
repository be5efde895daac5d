#!/bin/sh
echo "$COLOUR" > /tmp/colour.txt
