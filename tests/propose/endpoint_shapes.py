#!/usr/bin/env python3
"""propose-openai against every shape of tests/fixtures/reply_shapes.py, in one process.

Prints a line of JSON for each: its name, what is wanted, what the adapter printed or how it ended, and how often the
endpoint was asked.
"""
import http.server
import importlib.machinery
import importlib.util
import json
import os
import sys
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests", "fixtures"))
import reply_shapes  # noqa: E402

SILENT_S = 0.2   # a connection is made within this time; an answer may take longer
SENT = json.dumps({"kernel": "k", "ask": "x" * 4000})


def name_of(number):
    return reply_shapes.SHAPES[number][0]


def adapter():
    path = os.path.join(ROOT, "proposers", "propose-openai")
    loader = importlib.machinery.SourceFileLoader("propose_openai", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("propose_openai", loader))
    loader.exec_module(module)
    return module


class Endpoint(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_POST(self):
        number = int(self.path.split("/")[1])
        Endpoint.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        responses = reply_shapes.SHAPES[number][1]
        status, kind, body, *headers = responses[min(len(Endpoint.asked), len(responses)) - 1]
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        data = text if isinstance(text, bytes) else text.encode()
        if name_of(number) == "silent while it thinks":
            threading.Event().wait(3 * SILENT_S)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in (headers[0] if headers else {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    propose = adapter()
    propose.CONNECT_S = SILENT_S
    propose.FIRST_WAIT_S = 0.01
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for number, (name, _, want, usage) in enumerate(reply_shapes.SHAPES):
        Endpoint.asked = []
        options = propose.options_of(["stub", f"http://127.0.0.1:{server.server_address[1]}/{number}/v1", "NO_KEY",
                                      "--temperature", "0.3"])
        line = {"name": name, "want": want, "usage": usage}
        try:
            line["printed"] = propose.wrapped(propose.ask(options, "", SENT), options.model, SENT)
        except SystemExit as ended:
            line["ended"] = str(ended)
        print(json.dumps({**line, "asked": len(Endpoint.asked)}))


main()
