"""Validates what `wtool mcp` wrote against the official schemas of the protocol.

    validate.py SCHEMAS TRANSCRIPTS

SCHEMAS is a folder with schema-VERSION.json for each version. TRANSCRIPTS is a folder of *.jsonl files, with one line for
each line that the server wrote: {"version": "2025-11-25", "method": "tools/call", "tool": "shell_execute", "line": {...}},
where method and tool are those of the request that the line answers, or "" where there is none. The tests write such files
where WTOOL_MCP_TRANSCRIPTS says (tests/support/mcp_client.h).

Every line must be valid as a message, every result as the result of its method, and every structured content as the tool's
own output schema says. Exit status: 0 when all are, 1 when one is not, 77 where the validator itself is missing.
"""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("validate.py: the Python package jsonschema is missing; nothing was validated")
    sys.exit(77)

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "server/discover": "DiscoverResult",
    "tasks/get": "GetTaskResult",
    "tasks/result": "GetTaskPayloadResult",
    "tasks/list": "ListTasksResult",
    "tasks/cancel": "CancelTaskResult",
}
NEWER = "2026-07-28"


class Version:
    def __init__(self, path):
        self.schema = json.loads(path.read_text())
        self.key = "$defs" if "$defs" in self.schema else "definitions"
        self.validators = {}

    def problem(self, name, value):
        """The first reason why the value is not what the definition says, or None."""
        if name not in self.validators:
            whole = dict(self.schema)
            whole["$ref"] = f"#/{self.key}/{name}"
            if self.key == "definitions":
                # In draft 7, what is beside a $ref is ignored.
                whole = {"$schema": self.schema["$schema"], self.key: self.schema[self.key], "allOf": [{"$ref": whole["$ref"]}]}
            self.validators[name] = jsonschema.validators.validator_for(whole)(whole)
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        return None if error is None else f"not a {name}: {error.message[:300]} at {error.json_path}"


def spoken_version(entry):
    """One process may speak both eras: a result says which by its resultType."""
    line, version = entry["line"], entry["version"]
    if version != NEWER:
        return version
    result = line.get("result")
    older = result is not None and "resultType" not in result
    return "2025-06-18" if older else version


def output_schemas(entries):
    """The tools' own schemas, by name, as the server has listed them."""
    found = {}
    for entry in entries:
        for tool in entry["line"].get("result", {}).get("tools", []):
            if "outputSchema" in tool:
                found[tool["name"]] = jsonschema.Draft202012Validator(tool["outputSchema"])
    return found


def problems(entry, version, tools):
    line = entry["line"]
    # The oldest schema has no error without an id, though the answer to an unreadable message can have no id.
    if "error" in line and "id" not in line and version.key == "definitions":
        line = dict(line, id=0)
    yield version.problem("JSONRPCMessage", line)
    if "method" in line:
        yield version.problem("ServerNotification" if "id" not in line else "ServerRequest", line)
    elif "result" in line:
        name = RESULTS.get(entry["method"], "Result")
        if line["result"].get("resultType") == "input_required":
            name = "InputRequiredResult"
        if "task" in line["result"]:
            name = "CreateTaskResult"
        yield version.problem(name, line["result"])
        if "structuredContent" in line["result"] and entry["tool"] in tools:
            error = jsonschema.exceptions.best_match(tools[entry["tool"]].iter_errors(line["result"]["structuredContent"]))
            yield error and f"not what {entry['tool']} promises: {error.message[:300]} at {error.json_path}"
    elif line["error"]["code"] == -32022:
        yield version.problem("UnsupportedProtocolVersionError", line)
    elif line["error"]["code"] == -32021:
        yield version.problem("MissingRequiredClientCapabilityError", line)


def main(schemas, transcripts):
    entries = []
    for path in sorted(pathlib.Path(transcripts).glob("*.jsonl")):
        for number, text in enumerate(path.read_text().splitlines(), 1):
            entries.append(dict(json.loads(text), where=f"{path.name}:{number}"))
    tools = output_schemas(entries)
    versions = {}
    bad = structured = 0
    for entry in entries:
        name = spoken_version(entry)
        if name not in versions:
            # If a client asks for a version that the server does not support, the server answers with the latest
            # version of the older era.
            there = pathlib.Path(schemas) / f"schema-{name}.json"
            versions[name] = Version(there if there.exists() else pathlib.Path(schemas) / "schema-2025-11-25.json")
        structured += "structuredContent" in entry["line"].get("result", {})
        for problem in filter(None, problems(entry, versions[name], tools)):
            bad += 1
            print(f"{entry['where']}: {name}: {problem}\n  {json.dumps(entry['line'])[:300]}")
    print(f"{len(entries)} lines, {structured} with structured content, {len(tools)} tools with a schema, {bad} problems")
    return 1 if bad or not entries else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
