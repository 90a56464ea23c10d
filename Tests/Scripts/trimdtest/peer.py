"""A client that speaks trimd's protocol itself: one JSON object a line, descriptors beside it."""
import json, socket


class Peer:
    """A connection that asks one thing at a time."""

    def __init__(self, path, timeout=20):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.lines = self.socket.makefile()
        self.id = 0

    def ask(self, method, params=None, files=()):
        """The answer to a request: a message with `result` or `error`."""
        self.id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params or {}}).encode() + b"\n"
        if files:
            socket.send_fds(self.socket, [line], list(files))
        else:
            self.socket.sendall(line)
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("id") == self.id:
                return answer

    def result(self, method, **params):
        """The result of a request; an error is raised."""
        answer = self.ask(method, params)
        if "error" in answer:
            raise RuntimeError(f"{method} {params}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        self.lines.close()
        self.socket.close()


def code_of(answer):
    """The code of an answer's error; 'none' where it has a result."""
    return answer.get("error", {}).get("data", {}).get("code", "none" if "result" in answer else str(answer))


def message_of(answer):
    return answer.get("error", {}).get("message", "")
