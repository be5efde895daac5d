"""The sample server, built with the official SDK for Python; over HTTP where a port is given, and over stdio otherwise."""

import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("sample", version="1.0.0")


@server.tool()
def add(a: float, b: float) -> dict[str, Any]:
    """Adds two numbers"""
    return {"sum": a + b}


@server.tool()
def fail() -> str:
    """Always fails"""
    raise ToolError("it did not work")


@server.resource("note://first", mime_type="text/plain")
def note() -> str:
    return "first note"


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}"


if len(sys.argv) > 1:
    server.run(transport="streamable-http", port=int(sys.argv[1]), host="127.0.0.1")
else:
    server.run()
