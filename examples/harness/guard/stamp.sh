echo "Stamped" >> NOTES.md
