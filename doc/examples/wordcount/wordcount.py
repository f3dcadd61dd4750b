#!/usr/bin/env python3
"""Counts the words of a text in three steps, each in processes of its own: wordcount.py --workers 2 TEXT

    split ──chunks──> count (several workers) ──counts──> merge

Chunk number 17 has the sequence 17 in all three steps, whichever worker counts it: so dcampd knows what became of it.
It prints "ready" once all processes are there, waits for a line of input, and says in the end how many words and
executions there were.
"""
import argparse
import collections
import multiprocessing
import queue
import signal
import sys
import time

import dcamp


def arguments():
    parser = argparse.ArgumentParser(description='Counts the words of a text in three steps: split, count, merge.')
    parser.add_argument('--workers', type=int, default=2, help='processes that count (2)')
    parser.add_argument('--chunk', type=int, default=1000, help='lines of a chunk (1000)')
    parser.add_argument('--times', type=int, default=1, help='so often the text comes (1)')
    parser.add_argument('--pause', type=float, default=20, help='ms from a chunk to the next, in the mean (20): it '
                        'falls from twice as many to none, so that the load grows')
    parser.add_argument('text', help='a file')
    return parser.parse_args()


def chunks_of(path, lines, times):
    """Chunks of so many lines, of the text as often as it comes."""
    for _ in range(times):
        with open(path, encoding='utf-8') as text:
            while chunk := [line for _, line in zip(range(lines), text)]:
                yield ''.join(chunk)


def split(options, ready, to_count):
    step = dcamp.App('wordcount').step('split', '', 'wordcount')
    ready.wait()
    with open(options.text, encoding='utf-8') as text:
        n_chunks = -(-sum(1 for _ in text) // options.chunk) * options.times
    ready.wait()
    chunks = chunks_of(options.text, options.chunk, options.times)
    due = time.monotonic()
    for number in range(1, n_chunks + 1):
        time.sleep(max(0, due - time.monotonic()))
        due += options.pause / 1000 * 2 * (1 - number / n_chunks)
        with step.begin(number):
            chunk = next(chunks)
        to_count.put((number, chunk))
    for _ in range(options.workers):
        to_count.put(None)


def count(ready, to_count, to_merge):
    app = dcamp.App('wordcount')
    step, words = app.step('count', '', 'wordcount'), app.counter('words', unit='words')
    ready.wait()
    ready.wait()
    while item := to_count.get():
        number, chunk = item
        with step.begin(number):
            counts = collections.Counter(chunk.split())
            words.add(sum(counts.values()))
        to_merge.put((number, counts))
    to_merge.put(None)


def merge(workers, ready, to_merge, result):
    step = dcamp.App('wordcount').step('merge', '', 'wordcount')
    total, n_chunks = collections.Counter(), 0
    ready.wait()
    ready.wait()
    while workers > 0:
        if not (item := to_merge.get()):
            workers -= 1
            continue
        number, counts = item
        with step.begin(number):
            total.update(counts)
        n_chunks += 1
    result.put((n_chunks, sum(total.values()), len(total)))


def wait_for(result, processes):
    """What merge has in the end; where a process has failed, that never comes."""
    while True:
        try:
            return result.get(timeout=1)
        except queue.Empty:
            if any(process.exitcode for process in processes):
                sys.exit('a process has failed')


def main():
    options = arguments()
    ready = multiprocessing.Barrier(options.workers + 3)
    to_count, to_merge, result = (multiprocessing.Queue() for _ in range(3))
    parts = [(split, (options, ready, to_count)), (merge, (options.workers, ready, to_merge, result))]
    parts += [(count, (ready, to_count, to_merge))] * options.workers
    processes = [multiprocessing.Process(target=target, args=args, daemon=True) for target, args in parts]
    for process in processes:
        process.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends the others, too
    ready.wait()
    print('ready', flush=True)
    sys.stdin.readline()
    ready.wait()
    print('chunks %d words %d different %d' % wait_for(result, processes), flush=True)
    for process in processes:
        process.join()


if __name__ == '__main__':
    main()
