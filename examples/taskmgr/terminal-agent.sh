#!/bin/sh
# A program that is made for a terminal: colours, and no work without one.
[ -t 0 ] && [ -t 1 ] || { echo "terminal-agent: not a terminal" >&2; exit 1; }
printf '\033[1mPlanning the release\033[0m\n'
taskmgr create --title "Write the release notes" --priority high --tag release
taskmgr create --title "Update the dependencies" --tag release
taskmgr create --title "Test the upgrade from 1.9" --tag release
printf '\033[32mdone\033[0m\n'
