#!/usr/bin/env python3
"""Sends messages to a broker by STOMP 1.2, each with a receipt: stomp.py PORT MESSAGES. Prints how many of them the
broker has taken over."""
import socket
import sys


def frame(stream, command, headers, body=''):
    lines = [command] + [f'{name}:{value}' for name, value in headers.items()]
    stream.write(('\n'.join(lines) + '\n\n' + body + '\0').encode())
    stream.flush()


def read_frame(stream):
    octets = b''
    while not octets.endswith(b'\0'):
        octet = stream.read(1)
        if not octet:
            raise EOFError('the broker has closed the connection')
        if octets or octet != b'\n':
            octets += octet
    head = octets.decode().split('\n\n')[0].split('\n')
    return head[0], dict(line.split(':', 1) for line in head[1:])


def main():
    port, messages = int(sys.argv[1]), int(sys.argv[2])
    with socket.create_connection(('127.0.0.1', port), timeout=30) as connection:
        stream = connection.makefile('rwb')
        frame(stream, 'CONNECT', {'accept-version': '1.2', 'host': 'localhost'})
        command, _ = read_frame(stream)
        assert command == 'CONNECTED', command
        receipts = 0
        for n in range(messages):
            frame(stream, 'SEND', {'destination': '/queue/orders', 'receipt': n}, f'order {n}')
            command, headers = read_frame(stream)
            receipts += command == 'RECEIPT' and headers['receipt-id'] == str(n)
        print(receipts)


main()
