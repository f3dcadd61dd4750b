#!/usr/bin/env python3
"""Plans and evaluates the benchmark transparency.

    transparency.py plan OPTIONS          the plan of the whole, on standard output
    transparency.py order PLAN            its runs in their order: round, page, clients, case, seconds
    transparency.py result                what dcamp load --json or wrk has printed: operations a second, p50, p99, errors
    transparency.py report PLAN RUNS      tables, a plot of characters and verdicts; --svg FILE: a picture;
                                          --costs FILE: cases, and the CPU time that their monitors take

Each line of RUNS has: round, page, clients, case, operations a second, p50 and p99 in seconds, errors."""
import argparse
import functools
import json
import math
import random
import re
import statistics
import sys

PAGES = ('static', 'fibonacci', 'download')
LEVELS = ('5m', '1m', '10s', '1s', '100ms')
# "off again" is the same as "off": how far two equal cases are apart shows what chance does.
CASES = ('off', 'off-again', *LEVELS, 'sensors', *(f'{level}+sensors' for level in LEVELS), 'collectd',
         'node_exporter')
TITLES = {'off-again': 'off, once more', 'sensors': 'off, sensors in the server'}
AIM = 0.5  # percent
CONFIDENCE = 0.95
PLOTTED = 10  # percent at most, in the plot of characters
ANSWERS = 10  # so many for each client of a run, or two CPUs do not carry so many clients
SHORTEST, LONGEST = 1, 30  # seconds of a run that --minutes may choose
STRETCH = 2  # so many times as long a run may be, in which each of many clients is to have its answers

MEASURES = (('throughput', 0, -1), ('p50', 1, 1), ('p99', 2, 1))  # name, column, which sign is worse


def title(case):
    return TITLES.get(case, case.replace('+sensors', ', sensors in the server'))


# -- The plan -------------------------------------------------------------------------------------

def carried(rates, pages, clients, seconds):
    """The pairs of page and clients of which each client has enough answers in a run, and how long that is."""
    pairs = [(page, n, max(seconds, math.ceil(n * ANSWERS / rates[page]))) for page in pages for n in clients]
    return [pair for pair in pairs if pair[2] <= STRETCH * seconds]


def thinned(clients, step):
    """Every so many of them, the least and the greatest among them."""
    kept = clients[::step]
    return kept if kept[-1] == clients[-1] else kept + clients[-1:]


def fit(options, rates):
    """The longest runs that fit into the minutes; if even short ones do not, fewer numbers of clients."""
    for step in range(1, len(options.clients) + 1):
        clients = thinned(options.clients, step)
        for seconds in range(LONGEST, SHORTEST - 1, -1):
            pairs = carried(rates, options.pages, clients, seconds)
            took = sum(length + options.overhead for _, _, length in pairs) * len(options.cases) * options.rounds
            if pairs and took <= options.minutes * 60:
                return pairs, seconds
    sys.exit(f'transparency: {options.rounds} rounds of {len(options.cases)} cases do not fit into '
             f'{options.minutes} minutes: fewer --rounds, --pages or --cases, or more --minutes')


def plan(options):
    rates = {page: float(rate) for page, rate in (word.split('=') for word in options.rates.split(','))}
    if options.minutes:
        pairs, seconds = fit(options, rates)
    else:
        seconds = options.seconds
        pairs = carried(rates, options.pages, options.clients, seconds)
    if not pairs:
        sys.exit('transparency: this machine carries none of these numbers of clients: longer --seconds')
    print('rounds', options.rounds)
    print('seconds', seconds)
    print('overhead', options.overhead)
    print('cases', *options.cases)
    for pair in pairs:
        print('pair', *pair)


def read_plan(path):
    """Its pairs are those of page and clients; seconds has how long their runs are."""
    found = {'pairs': [], 'seconds': {}}
    with open(path, encoding='utf-8') as file:
        for line in file:
            key, *words = line.split()
            if key == 'pair':
                pair = words[0], int(words[1])
                found['pairs'].append(pair)
                found['seconds'][pair] = int(words[2])
            elif key == 'cases':
                found[key] = words
            elif key == 'rounds':
                found[key] = int(words[0])
    return found


def order(options):
    """The cases of a pair follow each other at once, by chance in each round: so what drifts hits all alike."""
    planned = read_plan(options.plan)
    for number in range(1, planned['rounds'] + 1):
        chance = random.Random(number)
        pairs = list(planned['pairs'])
        chance.shuffle(pairs)
        for page, clients in pairs:
            cases = list(planned['cases'])
            chance.shuffle(cases)
            for case in cases:
                print(number, page, clients, case, planned['seconds'][page, clients])


# -- What a run has printed ------------------------------------------------------------------------

def of_load(told):
    last = json.loads(told.splitlines()[-1])
    return last['throughput'], last['p50'], last['p99'], last['errors']


def of_wrk(told):
    def found(pattern):
        match = re.search(pattern, told, re.MULTILINE)
        if not match:
            raise ValueError(pattern)
        return match

    def percentile(percent):
        match = found(rf'^ +{percent}% +([0-9.]+)(us|ms|s|m) *$')
        return float(match[1]) * {'us': 1e-6, 'ms': 1e-3, 's': 1, 'm': 60}[match[2]]

    errors = sum(int(n) for line in re.findall(r'^ +(?:Socket errors|Non-2xx).*', told, re.MULTILINE)
                 for n in re.findall(r'[0-9]+(?![0-9x])', line.split(':', 1)[1]))
    return float(found(r'^Requests/sec: +([0-9.]+)$')[1]), percentile(50), percentile(99), errors


def result(_):
    told = sys.stdin.read()
    try:
        rate, p50, p99, errors = (of_load if told.lstrip().startswith('{') else of_wrk)(told)
        print(f'{rate:.4f}\t{p50:.9f}\t{p99:.9f}\t{errors}')
    except (ValueError, KeyError, IndexError, TypeError) as error:
        sys.exit(f'transparency: the load has no result: {error}: {told[-600:]}')


# -- Student's t ----------------------------------------------------------------------------------

def t_between(x, freedom):
    """The probability that |t| is below x: the density, integrated by Simpson's rule."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    top = math.atan(x / math.sqrt(freedom))  # t = sqrt(freedom) tan(u): a finite range for any x
    steps = 2000

    def density(u):
        return math.cos(u) ** (freedom - 1)

    total = density(0) + density(top) + sum((4 if i % 2 else 2) * density(top * i / steps)
                                            for i in range(1, steps))
    return 2 * scale * math.sqrt(freedom) * total * top / steps / 3


@functools.cache
def t_quantile(freedom):
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_between(middle, freedom) < CONFIDENCE else (low, middle)
    return low


class Interval:
    """How much worse something is, in percent, and where that truly is: of logarithms of its ratios, which
    are positive where it is worse. With sign -1, what is worse is less, and 100 % less is nothing."""

    def __init__(self, logs, sign):
        self.known = len(logs) >= 2
        if not self.known:
            return
        mean = statistics.fmean(logs)
        half = t_quantile(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
        self.mean, self.low, self.high = (sign * 100 * math.expm1(sign * x) for x in (mean, mean - half, mean + half))

    def __str__(self):
        return f'{self.mean:+.2f} ({self.low:+.2f} to {self.high:+.2f})' if self.known else 'not known'

    def word(self):
        if not self.known or self.low < AIM <= self.high:
            return 'OPEN'
        return 'PASS' if self.high < AIM else 'FAIL'


# -- The runs -------------------------------------------------------------------------------------

def read_runs(path, planned):
    """runs[page, clients][case][round] = operations a second, p50, p99; and how many had errors, which are
    left out. A line that was cut when the machine went is left out, too."""
    runs, failed = {pair: {case: {} for case in planned['cases']} for pair in planned['pairs']}, 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if len(words) != 8 or not line.endswith('\n'):
                continue
            if int(words[7]):
                failed += 1
                continue
            pair = (words[1], int(words[2]))
            if pair in runs and words[3] in runs[pair]:
                runs[pair][words[3]][int(words[0])] = tuple(float(word) for word in words[4:7])
    return runs, failed


def difference(runs, pairs, case, column, sign):
    """How much worse the case is than off: for each round the mean over the pairs that have both in it."""
    rounds = {}
    for pair in pairs:
        without = runs[pair]['off']
        for number, values in runs[pair][case].items():
            if number in without and values[column] > 0 and without[number][column] > 0:
                rounds.setdefault(number, []).append(sign * math.log(values[column] / without[number][column]))
    # A round that has only some of the pairs would weigh these alone.
    whole = max((len(logs) for logs in rounds.values()), default=0)
    return Interval([statistics.fmean(logs) for logs in rounds.values() if len(logs) == whole], sign)


def row(*cells):
    print('|', ' | '.join(str(cell) for cell in cells), '|')


def table(*cells):
    row(*cells)
    row(*('---' for _ in cells))


def pages_of(planned):
    return [page for page in PAGES if any(page == pair[0] for pair in planned['pairs'])]


def pairs_of(planned, page=None):
    return [pair for pair in planned['pairs'] if page in (None, pair[0])]


def print_without(planned, runs):
    print('### Without dCAMP\n\nMedians of the rounds.\n')
    table('page', 'clients', 'responses a second', 'p50', 'p99')
    for page, clients in planned['pairs']:
        values = list(runs[page, clients]['off'].values())
        if values:
            rate, p50, p99 = (statistics.median(column) for column in zip(*values))
            row(page, clients, f'{rate:.1f}', f'{p50 * 1e3:.3f} ms', f'{p99 * 1e3:.3f} ms')


def print_differences(planned, runs):
    for page in [None, *pages_of(planned)]:
        print(f'\n### {page.capitalize() if page else "All pages"}: beside off, in percent\n')
        table('case', 'less throughput', 'longer p50', 'longer p99', f'throughput below {AIM}', 'p50', 'p99')
        for case in planned['cases'][1:]:
            found = [difference(runs, pairs_of(planned, page), case, column, sign)
                     for _, column, sign in MEASURES]
            row(title(case), *found, *(one.word() for one in found))


def print_by_clients(planned, runs):
    for page in pages_of(planned):
        print(f'\n### {page.capitalize()}: less throughput by the number of clients, in percent\n')
        pairs = pairs_of(planned, page)
        table('case', *(clients for _, clients in pairs))
        for case in planned['cases'][1:]:
            row(title(case), *(difference(runs, [pair], case, 0, -1) for pair in pairs))


def print_plot(planned, runs):
    """One line for each case: | is 0, : the aim, = the interval, o the mean; < and > go on."""
    found = [(title(case), difference(runs, planned['pairs'], case, 0, -1)) for case in planned['cases'][1:]]
    found = [(name, one) for name, one in found if one.known]
    if not found:
        return
    low = max(min(-AIM, *(one.low for _, one in found)), -PLOTTED)
    high = min(max(2 * AIM, *(one.high for _, one in found)), PLOTTED)
    width = 64

    def place(value):
        return min(max(round((value - low) / (high - low) * (width - 1)), 0), width - 1)

    print(f'\n### Less throughput, all pages\n\n    {"":34}{low:<+32.2f}{high:>+32.2f} %')
    for name, one in found:
        line = [' '] * width
        line[place(0)], line[place(AIM)] = '|', ':'
        for i in range(place(one.low), place(one.high) + 1):
            line[i] = '='
        line[place(one.mean)] = 'o'
        if one.low < low:
            line[0] = '<'
        if one.high > high:
            line[-1] = '>'
        print(f'    {name:34}{"".join(line)}'.rstrip())


def print_verdicts(planned, runs):
    """Returns whether the aim was reached, where it is one."""
    reached = True
    print()
    for case in planned['cases'][1:]:
        for name, column, sign in MEASURES:
            one = difference(runs, planned['pairs'], case, column, sign)
            is_aim = case in ('1s', '1s+sensors') and name != 'p99'
            word = one.word() if is_aim else 'INFO'
            reached = reached and word != 'FAIL'
            if is_aim or case in ('off-again', 'collectd', 'node_exporter', '1s', '1s+sensors'):
                limit = f'(limit {AIM} for all of the interval)' if is_aim else '(no limit)'
                what = 'less throughput' if sign < 0 else f'longer {name}'
                print(f'{word} transparency {title(case)}: % {what} {one} {limit}')
    return reached


# -- CPU time -------------------------------------------------------------------------------------

def print_costs(path):
    """Each line of the file has a case and the percent of all CPUs that its monitor takes. Returns whether the
    aim was reached."""
    with open(path, encoding='utf-8') as file:
        costs = [(case, float(percent)) for case, percent in (line.split() for line in file)]
    print('\n### CPU time of the monitors, while the server has 32 clients\n')
    table('case', 'percent of all CPUs')
    for case, percent in costs:
        row(title(case), f'{percent:.4f}')
    print()
    reached = True
    for case, percent in costs:
        is_aim = case in ('1s', '1s+sensors')
        reached = reached and (percent < AIM or not is_aim)
        word = 'INFO' if not is_aim else 'PASS' if percent < AIM else 'FAIL'
        print(f'{word} transparency {title(case)}: % of all CPUs {percent:.4f}'
              f' ({f"limit {AIM}" if is_aim else "no limit"})')
    return reached


# -- The picture ----------------------------------------------------------------------------------

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 50, 12, 34, 44
SHOWN = (('off-again', '#888888'), ('10s', '#3a7d44'), ('1s', '#1b6ca8'), ('100ms', '#7b4ba0'),
         ('1s+sensors', '#0aa5a5'), ('collectd', '#b3541e'), ('node_exporter', '#c9a100'))


def text(x, y, words, more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{words}</text>'


def draw_axes(pairs, high, x_of, y_of):
    parts = []
    power = 10 ** math.floor(math.log10(high / 4))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= high / 4)
    for i in range(-int(high / step), int(high / step) + 1):
        parts.append(f'<path d="M{LEFT} {y_of(i * step):.1f}H{WIDTH - RIGHT}" class="{"grid" if i else "zero"}"/>')
        parts.append(text(LEFT - 6, y_of(i * step) + 4, f'{i * step:g}', 'text-anchor="end"'))
    parts.append(f'<path d="M{LEFT} {y_of(AIM):.1f}H{WIDTH - RIGHT}" class="aim"/>')
    parts += [text(x_of(clients), HEIGHT - BOTTOM + 16, clients, 'text-anchor="middle"') for _, clients in pairs]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, 'clients', 'text-anchor="middle"'))
    return parts


def draw_panel(pairs, name, found):
    """found: the case's number in SHOWN, the clients, the interval."""
    low, across = math.log2(pairs[0][1]), math.log2(pairs[-1][1] / pairs[0][1]) or 1
    # What sticks out is cut off: one wide interval would leave nothing to see of the others.
    reach = sorted(max(abs(one.low), abs(one.high)) for _, _, one in found)
    high = max(2 * AIM, reach[int(0.9 * (len(reach) - 1))] if reach else 0)

    def x_of(clients):
        return LEFT + 24 + (math.log2(clients) - low) / across * (WIDTH - LEFT - RIGHT - 48)

    def y_of(value):
        share = (high - min(max(value, -high), high)) / (2 * high)
        return TOP + share * (HEIGHT - TOP - BOTTOM)

    parts = draw_axes(pairs, high, x_of, y_of) + [text(WIDTH / 2, 16, name, 'text-anchor="middle" font-weight="bold"')]
    for i, clients, one in found:
        x = x_of(clients) + 3 * (i - len(SHOWN) // 2)
        parts.append(f'<path d="M{x:.1f} {y_of(one.low):.1f}V{y_of(one.high):.1f}" stroke="{SHOWN[i][1]}"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y_of(one.mean):.1f}" r="2.2" fill="{SHOWN[i][1]}"/>')
    return parts


def panels_of(planned, runs):
    for page in pages_of(planned):
        for name, column, sign in MEASURES[::2]:
            pairs = pairs_of(planned, page)
            found = [(i, pair[1], difference(runs, [pair], case, column, sign))
                     for i, (case, _) in enumerate(SHOWN) if case in planned['cases'] for pair in pairs]
            what = 'less throughput' if sign < 0 else f'longer {name}'
            yield pairs, f'{page}: {what}, %', [one for one in found if one[2].known]


def draw(planned, runs):
    panels = [draw_panel(*panel) for panel in panels_of(planned, runs)]
    height = HEIGHT * -(-len(panels) // 2) + 30
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * 2} {height}" width="{WIDTH * 2}" '
           f'height="{height}" font-family="sans-serif" font-size="11">')
    yield ('<style>.grid{stroke:#ddd}.zero{stroke:#666}.aim{stroke:#c00;stroke-dasharray:4 3}</style>'
           f'<rect width="{WIDTH * 2}" height="{height}" fill="#fff"/>')
    for i, parts in enumerate(panels):
        yield f'<g transform="translate({i % 2 * WIDTH} {i // 2 * HEIGHT})">' + '\n'.join(parts) + '</g>'
    shown = [(case, colour) for case, colour in SHOWN if case in planned['cases']]
    for i, (case, colour) in enumerate(shown):
        yield text(LEFT + i * 118, height - 12, title(case).replace(', sensors in the server', ', sensors'),
                   f'fill="{colour}" font-weight="bold"')
    yield '</svg>'


def report(options):
    planned = read_plan(options.plan)
    runs, failed = read_runs(options.runs, planned)
    print_without(planned, runs)
    print_differences(planned, runs)
    print_by_clients(planned, runs)
    print_plot(planned, runs)
    if failed:
        print(f'\n{failed} runs had requests that failed, and are left out.')
    if options.svg:
        with open(options.svg, 'w', encoding='utf-8') as file:
            file.write('\n'.join(draw(planned, runs)) + '\n')
    reached = print_costs(options.costs) if options.costs else True
    return 0 if print_verdicts(planned, runs) and reached else 3


# -- The command line -----------------------------------------------------------------------------

def numbers(words):
    found = sorted({int(word) for word in words.split(',')})
    if found[0] < 1:
        raise ValueError
    return found


def among(allowed):
    def choose(words):
        chosen = words.split(',')
        if not set(chosen) <= set(allowed):
            raise ValueError
        return [one for one in allowed if one in chosen or one == 'off']
    choose.__name__ = 'list of ' + ','.join(allowed)
    return choose


def main():
    parser = argparse.ArgumentParser(prog='transparency', description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest='command', required=True)
    planning = commands.add_parser('plan')
    planning.add_argument('--rates', required=True)
    planning.add_argument('--rounds', type=int, default=10)
    planning.add_argument('--seconds', type=int, default=5)
    planning.add_argument('--minutes', type=int)
    planning.add_argument('--overhead', type=float, required=True)
    planning.add_argument('--clients', type=numbers, default=[2 ** i for i in range(1, 12)])
    planning.add_argument('--pages', type=among(PAGES), default=list(PAGES))
    planning.add_argument('--cases', type=among(CASES), default=list(CASES))
    commands.add_parser('result')
    commands.add_parser('order').add_argument('plan')
    reporting = commands.add_parser('report')
    reporting.add_argument('plan')
    reporting.add_argument('runs')
    reporting.add_argument('--svg')
    reporting.add_argument('--costs')
    options = parser.parse_args()
    return {'plan': plan, 'order': order, 'result': result, 'report': report}[options.command](options) or 0


sys.exit(main())
