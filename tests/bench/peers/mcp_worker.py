"""The worker for calls through `wtool mcp`: way.h describes its protocol. Usage: mcp_worker.py WTOOL CONFIGURATION COMMAND

CONFIGURATION is a file, COMMAND is the command of each call of shell_execute. The server starts with --policy open.
"""
import json
import subprocess
import sys
import time

wtool, configuration, command = sys.argv[1:]
server = subprocess.Popen([wtool, "--config", configuration, "mcp", "--policy", "open"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
asked = 0


def ask(method, parameters):
    """The answer to a request."""
    global asked
    asked += 1
    request = {"jsonrpc": "2.0", "id": asked, "method": method, "params": parameters}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    mark = b'"id":%d,' % asked
    for line in server.stdout:
        if mark in line[:100]:  # no large answer is parsed: parsing would count as the server's time
            return line
    raise OSError("the server has ended")


def once():
    began = time.perf_counter_ns()
    answer = ask("tools/call", {"name": "shell_execute", "arguments": {"command": command}})
    took = time.perf_counter_ns() - began
    if b'"isError":true' in answer[-200:]:
        raise OSError(answer[:300].decode("utf-8", "replace"))
    return took


ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
print("ready", flush=True)
for line in sys.stdin:
    try:
        print("took", *[once() for _ in range(int(line.split()[1]))], flush=True)
    except OSError as error:
        print("failed", error, flush=True)
server.stdin.close()
server.wait()
