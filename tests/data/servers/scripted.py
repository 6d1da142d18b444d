#!/usr/bin/env python3
"""A small server of the Model Context Protocol for tests. The first argument is the protocol that it speaks: `session` or `modern`, or `closed`, which refuses;
the variable VERSION is its version, and SCHEMA the schema of what `say` takes. It notes what it hears in the file heard.log of its directory."""
import json
import os
import subprocess
import sys
import time

MODERN = "2026-07-28"
INFO = {"name": "scripted", "version": os.environ.get("VERSION", "1.0")}
# As most servers write it.
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False,
        "$schema": "http://json-schema.org/draft-07/schema#", "x-note": 1}
NONE = {"type": "object", "properties": {}}
TOOLS = [
    {"name": "say", "description": "Says a text", "inputSchema": json.loads(os.environ.get("SCHEMA", json.dumps(TEXT)))},
    {"name": "count", "description": "Counts", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    {"name": "fail", "description": "Fails", "inputSchema": NONE},
    {"name": "die", "description": "Ends without an answer", "inputSchema": NONE},
    {"name": "wait", "description": "Never answers, and leaves a process", "inputSchema": NONE},
    {"name": "ask", "description": "Asks the client", "inputSchema": NONE},
    {"name": "linger", "description": "Answers, and does not end", "inputSchema": NONE},
    {"name": "noise", "description": "Prints what is no message", "inputSchema": NONE},
    {"name": "empty", "description": "Answers without a result", "inputSchema": NONE},
    {"name": "unread", "description": "Asks a lot, answers, reads nothing and does not end", "inputSchema": NONE},
    {"name": "deaf", "description": "Asks without an end, and reads nothing", "inputSchema": NONE},
    {"name": "mute", "description": "Prints what is no message, and never answers", "inputSchema": NONE},
    {"name": "mixed", "description": "Answers with more than text", "inputSchema": NONE},
]


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def result(request, value):
    if sys.argv[1] == "modern":
        value["resultType"] = "complete"
        value["_meta"] = {"io.modelcontextprotocol/serverInfo": INFO}
    send({"id": request["id"], "result": value})


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def call(request):
    name, given = request["params"]["name"], request["params"]["arguments"]
    if name == "say":
        result(request, text(given["text"]))
    elif name == "count":
        made = {"n": given.get("n", 0) + 1, "who": os.environ.get("WHO", "")}
        result(request, text(json.dumps(made), structuredContent=made))
    elif name == "fail":
        result(request, text("it did not work", isError=True))
    elif name == "die":
        print("the disk is gone", file=sys.stderr, flush=True)
        sys.exit(3)
    elif name == "wait":
        subprocess.Popen(["sleep", "1000"])
        open("waiting", "w").close()
    elif name == "ask":
        send({"id": "q1", "method": "ping"})
        send({"id": "q2", "method": "roots/list"})
        answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
        result(request, text(json.dumps(answers)))
    elif name == "linger":
        result(request, text("done"))
        while True:
            time.sleep(1000)
    elif name == "empty":
        send({"id": request["id"], "result": None})
    elif name == "unread":
        for number in range(5000):
            send({"id": number, "method": "ping"})
        result(request, text("done"))
        time.sleep(1000)
    elif name == "deaf":
        while True:
            send({"id": "x" * 10000, "method": "ping"})
    elif name == "mute":
        print("no message", flush=True)
    elif name == "mixed":
        result(request, {"content": [
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
            {"type": "image", "mimeType": "image/png", "data": "AAAA"},
            {"type": "resource_link", "uri": "file:///b", "name": "b"}, {"type": "text", "text": "outside"}]})
    elif name == "noise":
        print("starting up", flush=True)
        print('{"not": "a message"}', flush=True)
        send({"method": "notifications/message", "params": {"level": "info", "data": "from the log"}})
        result(request, text("heard"))


for line in sys.stdin:
    with open("heard.log", "a") as log:
        log.write(line)
    request = json.loads(line)
    method = request.get("method")
    modern = request.get("params", {}).get("_meta", {}).get("io.modelcontextprotocol/protocolVersion") == MODERN
    if "id" not in request:
        continue
    if sys.argv[1] == "modern" and not modern:
        send({"id": request["id"], "error": {"code": -32022, "message": "this version is not supported"}})
    elif method == "initialize" and sys.argv[1] == "closed":
        send({"id": request["id"], "error": {"code": -32000, "message": "not today"}})
    elif method == "initialize":
        result(request, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": INFO})
    elif method == "server/discover" and sys.argv[1] == "modern":
        result(request, {"supportedVersions": [MODERN], "capabilities": {"tools": {}}})
    elif method == "tools/list":
        half = 4 if "cursor" not in request.get("params", {}) else 0
        result(request, {"tools": TOOLS[:half], "nextCursor": "more"} if half else {"tools": TOOLS[4:]})
    elif method == "tools/call":
        call(request)
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": "there is no method " + str(method)}})
