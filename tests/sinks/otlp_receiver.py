#!/usr/bin/env python3
"""A receiver of OTLP over HTTP, which keeps what it takes: by the schema that was published, and with the decoder
of Protocol Buffers of Debian. It answers to nothing that it does not have in its file.

    otlp_receiver.py PORT FILE DIRECTORY      DIRECTORY is for the decoders that protoc makes of the schema"""
import glob
import http.server
import importlib
import os
import struct
import subprocess
import sys
import threading

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'proto')


class Schema:
    def __init__(self, directory):
        files = glob.glob(PROTO + '/**/*.proto', recursive=True)
        subprocess.run(['protoc', '-I', PROTO, f'--python_out={directory}', *files], check=True)
        sys.path.insert(0, directory)
        service = 'opentelemetry.proto.collector.{0}.v1.{0}_service_pb2'
        metrics, logs = (importlib.import_module(service.format(signal)) for signal in ('metrics', 'logs'))
        self.requests = {'/v1/metrics': metrics.ExportMetricsServiceRequest, '/v1/logs': logs.ExportLogsServiceRequest}
        self.responses = {'/v1/metrics': metrics.ExportMetricsServiceResponse,
                          '/v1/logs': logs.ExportLogsServiceResponse}
        self.partial = {'/v1/metrics': 'rejected_data_points', '/v1/logs': 'rejected_log_records'}

    def read(self, path, body):
        """The request, which has nothing that the schema does not know."""
        request = self.requests[path].FromString(body)
        assert not has_unknown(request), 'fields that are not of the schema'
        return request


def has_unknown(message):
    octets = message.ByteSize()
    message.DiscardUnknownFields()
    return message.ByteSize() != octets


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True  # or the body of each answer waits until its head was acknowledged: 40 ms

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        try:
            self.answer(*self.server.take(self.path, dict(self.headers), body))
        except ConnectionError:  # who has sent it was killed, or does not wait any more
            self.close_connection = True

    def answer(self, status, headers, answer):
        self.send_response(status)
        for name, value in {'Content-Type': 'application/x-protobuf', 'Content-Length': str(len(answer)),
                            **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """say(path, headers, body) is None to take the request, or what is answered to it instead: (status, headers,
    body)."""
    daemon_threads = True

    def __init__(self, schema, path, port=0, say=None):
        super().__init__(('127.0.0.1', port), Handler)
        self.schema, self.say, self.lock = schema, say or (lambda *_: None), threading.Lock()
        self.file = open(path, 'ab')
        self.bad = []

    def take(self, path, headers, body):
        if path not in self.schema.requests or headers['Content-Type'] != 'application/x-protobuf':
            return 404, {'Content-Type': 'text/plain'}, b'there is no such path\n'
        try:
            request = self.schema.read(path, body)
        except Exception as error:  # whatever it says, it is to be seen in the test
            self.bad.append(str(error))
            return 400, {'Content-Type': 'text/plain'}, str(error).encode()
        said = self.say(path, headers, request)
        if said is not None:
            return said
        self.keep(path, body)
        return 200, {}, self.schema.responses[path]().SerializeToString()

    def keep(self, path, body):
        with self.lock:
            self.file.write(struct.pack('>II', len(path), len(body)) + path.encode() + body)
            self.file.flush()

    def begin(self):
        """In a thread; it is not to ask every half a second only whether it is to end."""
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()
        self.file.close()


def kept(path):
    """(path, body) of each request; not of one at the end whose receiver was killed while it wrote it."""
    with open(path, 'rb') as file:
        octets = file.read()
    at, result = 0, []
    while at + 8 <= len(octets):
        path_len, body_len = struct.unpack('>II', octets[at:at + 8])
        end = at + 8 + path_len + body_len
        if end > len(octets):
            break
        result.append((octets[at + 8:at + 8 + path_len].decode(), octets[at + 8 + path_len:end]))
        at = end
    return result


if __name__ == '__main__':
    # What a killed one has written in part is not there: it has not answered to it.
    with open(sys.argv[2], 'ab') as old:
        old.truncate(sum(8 + len(path) + len(body) for path, body in kept(sys.argv[2])))
    Server(Schema(sys.argv[3]), sys.argv[2], int(sys.argv[1])).serve_forever()
