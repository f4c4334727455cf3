#!/usr/bin/env python3
"""A chat-completions endpoint on loopback that behaves as it is told: endpoint.py BEHAVIOUR... PROGRAM ARGS after "--".

Each request gets the next behaviour, the last one again and again. The program runs with the endpoint's URL in the
place of URL in its arguments; this one ends with its status.
"""
import http.server
import json
import subprocess
import sys
import threading

split = sys.argv.index("--")
behaviours, program = sys.argv[1:split], sys.argv[split + 1:]
REPLY = json.dumps({"id": "1-1", "source": "x"})
USAGE = {"prompt_tokens": 500, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 400}}


class Endpoint(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert said["messages"][1]["content"] and self.path == "/v1/chat/completions"
        behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
        getattr(self, behaviour)()

    def answer(self, status, kind, data, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def whole(self, text=REPLY, reason="stop", usage=USAGE, refusal=None):
        message = {"content": text, "refusal": refusal}
        self.answer(200, "application/json", json.dumps({"model": "stub-1", "usage": usage, "choices": [
            {"message": message, "finish_reason": reason}]}).encode())

    def events(self, reason, parts):
        lines = [{"choices": [{"delta": {"content": part}}]} for part in parts]
        if reason:
            lines += [{"choices": [{"delta": {}, "finish_reason": reason}]}, {"model": "stub-1", "usage": USAGE}]
        self.answer(200, "text/event-stream", b"".join(b"data: " + json.dumps(line).encode() + b"\n\n" for line in lines) +
                    (b"data: [DONE]\n\n" if reason else b""))

    def streams(self):
        self.events("stop", [REPLY[:9], REPLY[9:]])

    def breaks_off(self):
        self.events(None, [REPLY[:9]])

    def limits(self):
        self.answer(429, "application/json", b"{}", [("Retry-After", "0.01")])

    def fails(self):
        self.answer(503, "text/plain", b"busy", [("Retry-After", "0.01")])

    def denies(self):
        self.answer(401, "application/json", b'{"error": "no such key"}')

    def truncates(self):
        self.whole(REPLY[:-6], "length")

    def refuses(self):
        self.whole("", "stop", USAGE, "I cannot help with that")

    def cuts_context(self):
        self.whole(usage={"prompt_tokens": 3, "completion_tokens": 20})

    def stalls(self):
        threading.Event().wait(60)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/v1"
sys.exit(subprocess.run([url if word == "URL" else word for word in program], check=False).returncode)
