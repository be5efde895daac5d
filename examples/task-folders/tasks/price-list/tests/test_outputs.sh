echo "=== short test summary info ==="
if [ "$(cat /app/price.txt)" = 42 ]; then echo "PASSED test_outputs.sh::price"; else echo "FAILED test_outputs.sh::price"; fi
