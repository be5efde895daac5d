#!/bin/sh
echo Dear reader > /app/draft.txt
