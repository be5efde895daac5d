echo "=== short test summary info ==="
if grep -q hello /app/hello.txt; then echo "PASSED test_outputs.sh::hello"; else echo "FAILED test_outputs.sh::hello"; fi
