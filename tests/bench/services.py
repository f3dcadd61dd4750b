#!/usr/bin/env python3
"""A program of many services, for the benchmark qos: services.py SERVICES MEMBERS SHARE

Each service has two sensors, the time of its responses and how many there were, and MEMBERS more, one for
each service that it calls. All of them count once; from then on, every second, SHARE percent of the
services get some requests: the others have nothing to report."""
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../libdcamp/python'))
import dcamp  # noqa: E402


def main():
    services, members, share = (int(argument) for argument in sys.argv[1:])
    chance = random.Random(1)
    app = dcamp.App('qos')
    sensors = [(app.timer('response', str(n)), app.counter('throughput', str(n), 'responses'),
                [app.timer('member', f'{n}.{m}') for m in range(members)]) for n in range(services)]
    if app.reason:
        sys.exit(app.reason)

    def serve(n, requests):
        response, throughput, called = sensors[n]
        for _ in range(requests):
            response.record(chance.expovariate(20))
            throughput.add()
            for member in called:
                member.record(chance.expovariate(200))

    for n in range(services):
        serve(n, 1)
    reporting = max(1, round(services * share / 100)) if share else 0
    print('ready', flush=True)
    while True:
        time.sleep(1)
        for n in range(reporting):
            serve(n, chance.randint(10, 20))


main()
