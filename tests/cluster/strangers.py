"""Strangers at the port of a host that waits for pilots. Needs only Python's standard library.

  strangers.py pass PORT FILE TICKET NEW   a relay from a pilot to PORT, which writes what the pilot sends into FILE;
                                           NEW becomes a copy of TICKET that leads the pilot to the relay
  strangers.py replay PORT FILE COUNT      COUNT connections that send the content of FILE
  strangers.py garbage PORT COUNT          COUNT connections that send random bytes, of many lengths
  strangers.py slow PORT                   a connection that sends all but the end of a handshake, two bytes a second
  strangers.py crowd PORT COUNT            COUNT connections that send nothing, until standard input ends

`replay`, `garbage` and `slow` print how long the host kept a connection open at most, in seconds. A connection that the
host has not closed after 20 seconds (`slow`: 23.5) is an error.
"""
import json
import os
import random
import socket
import sys
import threading
import time

HOST = os.environ.get("WTOOL_STRANGERS_HOST", "127.0.0.1")
PATIENCE = 20


def connect(port):
    return socket.create_connection((HOST, port), timeout=PATIENCE)


def life(stream, began):
    """The seconds from `began` until the host closes the connection."""
    try:
        while stream.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except socket.timeout:
        sys.exit("strangers.py: the host has not closed the connection")
    return time.monotonic() - began


def send(stream, text):
    try:
        stream.sendall(text)
    except OSError:
        pass


def pass_on(port, file, ticket, new):
    listener = socket.create_server((HOST, 0))
    with open(ticket, encoding="utf-8") as stream:
        told = json.load(stream)
    told["addresses"], told["port"] = [HOST], listener.getsockname()[1]
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(told, stream)
    print("ready", flush=True)
    pilot, _ = listener.accept()
    host = connect(port)
    host.settimeout(None)

    def answers():
        while text := host.recv(65536):
            send(pilot, text)

    threading.Thread(target=answers, daemon=True).start()
    with open(file, "wb", buffering=0) as record:
        try:
            while text := pilot.recv(65536):
                record.write(text)
                send(host, text)
        except OSError:
            pass
    host.close()


def replay(port, file, count):
    with open(file, "rb") as stream:
        said = stream.read()
    longest = 0
    for _ in range(count):
        began = time.monotonic()
        with connect(port) as stream:
            send(stream, said)
            longest = max(longest, life(stream, began))
    print(f"{longest:.1f}")


def garbage(port, count):
    source = random.Random(7)
    longest = 0
    for _ in range(count):
        began = time.monotonic()
        with connect(port) as stream:
            send(stream, source.randbytes(source.choice([48, 49, 50, 100, 1000, 100000])))
            longest = max(longest, life(stream, began))
    print(f"{longest:.1f}")


def slow(port):
    began = time.monotonic()
    with connect(port) as stream:
        for _ in range(47):
            stream.settimeout(0.5)
            try:
                stream.sendall(b"x")
                if not stream.recv(1):
                    break
            except socket.timeout:
                continue
            except OSError:
                break
        else:
            sys.exit("strangers.py: the host has not closed the connection")
    print(f"{time.monotonic() - began:.1f}")


def crowd(port, count):
    kept = [connect(port) for _ in range(count)]
    print("ready", flush=True)
    sys.stdin.read()
    for stream in kept:
        stream.close()


def main():
    what, port, *rest = sys.argv[1:]
    numbers = {"replay": lambda: replay(int(port), rest[0], int(rest[1])), "garbage": lambda: garbage(int(port), int(rest[0])),
               "slow": lambda: slow(int(port)), "crowd": lambda: crowd(int(port), int(rest[0])),
               "pass": lambda: pass_on(int(port), *rest)}
    numbers[what]()


if __name__ == "__main__":
    main()
