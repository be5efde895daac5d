#!/bin/sh
wget -q -O /dev/null "http://board:8000/cgi-bin/say?hello"
