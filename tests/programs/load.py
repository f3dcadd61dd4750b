#!/usr/bin/env python3
"""Sends requests to a server over HTTP, each of which lasts as long as is wanted: it is a POST of two octets,
the second of which comes so many milliseconds after the first, and the server waits for it.

    load.py URL RATE SECONDS MILLISECONDS

They come at a constant rate, whether earlier ones have ended or not. Prints how many were answered with 200.
"""
import http.client
import sys
import threading
import time
import urllib.parse


def request(url, pause, answered):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    try:
        connection.putrequest('POST', url.path)
        connection.putheader('Content-Type', 'application/x-www-form-urlencoded')
        connection.putheader('Content-Length', '3')
        connection.endheaders(b'a=')
        time.sleep(pause)
        connection.send(b'1')
        answer = connection.getresponse()
        answer.read()
        if answer.status == 200:
            answered.append(1)
    finally:
        connection.close()


def main():
    url = urllib.parse.urlsplit(sys.argv[1])
    rate, seconds, milliseconds = (float(word) for word in sys.argv[2:])
    answered, threads = [], []
    begin = time.monotonic()
    for n in range(round(rate * seconds)):
        time.sleep(max(0, begin + n / rate - time.monotonic()))
        thread = threading.Thread(target=request, args=(url, milliseconds / 1000, answered))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    print(len(answered))


main()
