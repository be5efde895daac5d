#!/bin/sh
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"secret","arguments":{}}}'
wget -q -O /app/secret.txt --post-data "$call" http://oracle:8000/cgi-bin/mcp
