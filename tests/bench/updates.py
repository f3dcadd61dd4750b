#!/usr/bin/env python3
"""What updates of sensors cost a program in Python: updates.py ROUNDS

For each kind a line "PART MEDIAN LEAST GREATEST", in nanoseconds of CPU time for an update, of so many rounds.
"word" is what the interpreter takes for adding 1 to a word of the file, without any function."""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../libdcamp/python'))
import dcamp  # noqa: E402

UPDATES = 5000
PROGRAMS = {
    'word': 'words[0] += 1', 'counter': 'counter.add()', 'gauge': 'gauge.set(4.2)', 'timer': 'timer.record(0.25)',
    'with': 'with timer: pass', 'histogram': 'histogram.add(3.5)', 'top': 'top.add("key")',
    'step': 'step.begin(1).end()'}


def function_of(program, sensors):
    """A loop of its own, without a call around each update."""
    exec(f'def run(n):\n for _ in range(n):\n  {program}\n', sensors)
    return sensors['run']


def nanoseconds(function):
    start = time.process_time_ns()
    function(UPDATES)
    return (time.process_time_ns() - start) / UPDATES


def main():
    app = dcamp.App('bench')
    if app.error:
        sys.exit(f'updates.py: {app.reason}')
    sensors = {'counter': app.counter('counter'), 'gauge': app.gauge('gauge'), 'timer': app.timer('timer'),
               'histogram': app.histogram('histogram'), 'top': app.top('top'), 'step': app.step('step'),
               'words': memoryview(bytearray(8)).cast('Q')}
    functions = {part: function_of(program, dict(sensors)) for part, program in PROGRAMS.items()}
    empty = function_of('pass', {})
    figures = {part: [] for part in PROGRAMS}
    for _ in range(int(sys.argv[1])):
        loop = nanoseconds(empty)
        for part, function in functions.items():
            figures[part].append(nanoseconds(function) - loop)
    for part, figure in figures.items():
        print(f'{part} {statistics.median(figure):.0f} {min(figure):.0f} {max(figure):.0f}')


main()
