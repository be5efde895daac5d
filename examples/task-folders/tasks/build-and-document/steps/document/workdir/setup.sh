#!/bin/sh
mv title.draft title.txt
rm -- "$0"
