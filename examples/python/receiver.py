"""A receiver of webhook deliveries, to try them out; needs nothing but Python.

    python3 examples/python/receiver.py [DOWN]

It says where it listens, then shows every delivery. The first DOWN ones it answers with 503, as a
receiver does that has an outage; all further ones with 204. A delivery may come twice: a receiver
in earnest remembers what it has seen.
"""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

BODY_BYTES_MAX = 1 << 20
down = int(sys.argv[1]) if len(sys.argv) > 1 else 0


class Receiver(BaseHTTPRequestHandler):
    received = 0

    def do_POST(self):
        length = min(int(self.headers.get("Content-Length", 0)), BODY_BYTES_MAX)
        body = self.rfile.read(length).decode("utf-8", "replace")
        Receiver.received += 1
        status = 503 if Receiver.received <= down else 204
        print(f"{status} {self.headers.get('Authorization', 'no Authorization')} {body}", flush=True)
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        """What was received is said already."""


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(f"listening at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
