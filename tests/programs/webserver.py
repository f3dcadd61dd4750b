#!/usr/bin/env python3
"""A web server with sensors of its own: webserver.py PORT. GET /count answers how many POSTs it has had."""
import http.server
import sys
import threading

import dcamp

app = dcamp.App('webserver')
requests = app.counter('requests', unit='requests')
response = app.timer('response')
paths = app.top('paths', unit='requests')
lock = threading.Lock()
count = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, text):
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(b'%d' % count)

    def do_POST(self):
        global count
        with response:
            body = self.rfile.read(int(self.headers['Content-Length']))
        requests.add(1)
        paths.add(self.path, 1)
        with lock:
            count += 1
        self.answer(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


Server(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
