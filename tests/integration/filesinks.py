#!/usr/bin/env python3
"""The sinks csv and json, by tests/integration/publish-driver: what the files say is what the blocks said,
line by line, whenever the process was killed, and whatever happens to its disk and its directory."""
import collections
import csv
import datetime
import glob
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.environ.get('srcdir') or os.path.join(os.path.dirname(__file__), '../..'))
BUILD = os.environ.get('DCAMP_BUILD') or os.path.join(TOP, 'build')
DRIVER = os.path.join(BUILD, 'tests/integration/publish-driver')
SHORT = bool(os.environ.get('DCAMP_TEST_SHORT'))
BLOCKS = ['--blocks', '12']
# What the sinks do between system calls is of no consequence to a file.
CALLS = ('openat', 'pwrite64', 'write', 'fallocate', 'fdatasync', 'fsync', 'rename', 'renameat', 'unlink', 'unlinkat',
         'ftruncate', 'mkdir', 'close', 'newfstatat')


def run(*words, before=()):
    return subprocess.run([*before, DRIVER, *words], capture_output=True, timeout=300)


def expected(*words):
    """All entries of all blocks; texts as octets."""
    said = run('--expect', *words)
    assert said.returncode == 0, said.stderr
    return [json.loads(line) for line in said.stdout.decode().splitlines()]


def controls(code):
    return (code < 0x20 or 0x7f <= code < 0xa0 or 0x2028 <= code <= 0x202e or code in (0x200e, 0x200f) or
            0x2066 <= code <= 0x2069)


def clean(text, keep_c0=False):
    """What a sink makes of octets, in Python's own words."""
    said = ''
    for char in text.encode('latin-1').decode('utf-8', 'surrogateescape'):
        code = ord(char)
        octets = 1 if 0xdc80 <= code <= 0xdcff else len(char.encode())
        bad = 0xdc80 <= code <= 0xdcff or (controls(code) and not (keep_c0 and code < 0x20))
        said += '?' * octets if bad else char
    return said


def defused(text):
    return "'" + clean(text) if text[:1] in ('=', '+', '-', '@', '\t', '\r', '\n') and text else clean(text)


def node_of(entry):
    below = entry.get('below', '')
    whole = entry['path'] or ('' if below else entry['node'])
    return whole + ('/' if whole and below else '') + below


def quantile(histogram, low, high, q):
    counts = sorted((value, n) for value, n in histogram if n)
    rank = math.floor(q * (sum(n for _, n in counts) - 1))
    for value, n in counts:
        if rank < n:
            return min(max(value, low), high)
        rank -= n
    raise ValueError


def lines_of(entries):
    """What is told of them: a list of (entry, key of a top or None)."""
    for entry in entries:
        if entry.get('nameless') or entry['kind'] == 'alarms' or (entry['kind'] == 'window' and 'count' not in entry):
            continue
        if entry['kind'] == 'keys':
            yield from ((entry, key) for key in entry['keys'])
        else:
            yield entry, None


def time_of(entry):
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=entry['t'])).isoformat(
        timespec='milliseconds') + 'Z'


def quantiles(entry):
    whole = sum(n for _, n in entry.get('histogram', [])) == entry['count'] > 0
    return [quantile(entry['histogram'], entry['min'], entry['max'], q) if whole else None for q in (0.5, 0.9, 0.99)]


def deviation(entry):
    return math.sqrt(entry['m2'] / entry['count'])


def csv_row(entry, key):
    """As a spreadsheet has it: numbers as doubles."""
    kind = entry['kind']
    alarm = kind.startswith('alarm')
    names = [entry.get('alarm_sensor', ''), entry.get('alarm_instance', ''), '', ''] if alarm else [
        entry['sensor'], entry['instance'], entry['metric'], 'ns' if kind == 'record' else entry['unit']]
    row = [time_of(entry), defused(node_of(entry)), entry['group'], *map(defused, names),
           'key' if key else kind]
    value, stats, state, number, text = None, [None] * 8, entry.get('state', 'valid'), None, ''
    if kind == 'value':
        value = entry.get('value')
    elif kind == 'record':
        value, state = entry['duration_ns'], str(entry['result'])
    elif key:
        value, text = key['count'], defused(key['key'])
    elif kind == 'alarm':
        value, number, text = float(entry['value']), entry['id'], defused(entry['message'])
        state = {2: 'info', 3: 'warning', 4: 'critical'}[entry['severity']]
    elif kind == 'alarm-cleared':
        number, state = entry['id'], 'cleared'
    elif entry['count']:
        stats = [entry['count'], entry['min'], entry['max'], entry['mean'], deviation(entry), *quantiles(entry)]
    else:
        stats, state = [0] + [None] * 7, 'gap'
    return (*row, *(None if n is None else float(n) for n in (value, *stats)), state,
            '' if number is None else str(number), text)


def read_csv(paths):
    rows = []
    for path in sorted(paths):
        with open(path, newline='', encoding='utf-8') as file:
            header, *lines = csv.reader(file, strict=True)
        assert header[:3] == ['time', 'node', 'group'] and header[-1] == 'text', header
        rows += [(*line[:8], *(float(cell) if cell else None for cell in line[8:17]), *line[17:]) for line in lines]
    return rows


def read_json(paths):
    rows = []
    for path in sorted(paths):
        with open(path, encoding='utf-8', newline='\n') as file:
            rows += [json.loads(line) for line in file]
    return rows


class Case(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix='dcamp-test.')
        self.addCleanup(shutil.rmtree, self.work)
        self.place = os.path.join(self.work, 'files')

    def give(self, kind, *words, before=(), place=None):
        return run('--kind', kind, '--location', place or self.place, *words, before=before)

    def files(self, kind, place=None):
        return sorted(glob.glob(f'{place or self.place}/test-*.{kind}'))

    def lines(self, kind, place=None):
        """Of all files, without headers."""
        lines = []
        for path in self.files(kind, place):
            with open(path, 'rb') as file:
                data = file.read()
            self.assertTrue(not data or data.endswith(b'\n'), path)
            lines += [line for line in data.splitlines(True) if not line.startswith(b'time,node,')]
        return lines

    def failing(self, kind, *texts, words=BLOCKS, before=()):
        """One error, of one line, that has these texts."""
        said = self.give(kind, *words, before=before)
        self.assertEqual(said.returncode, 3, said.stderr)
        error = said.stderr.decode()
        self.assertEqual(error.count('\n'), 1, error)
        for text in texts:
            self.assertIn(text, error)


class Content(Case):
    def test_csv(self):
        words = ['--blocks', '100']
        self.assertEqual(self.give('csv', *words).returncode, 0)
        rows = collections.Counter(read_csv(self.files('csv')))
        wanted = collections.Counter(csv_row(*line) for line in lines_of(expected(*words)))
        self.assertGreater(len(wanted), 5000)
        self.assertEqual(list((rows - wanted).items())[:3], [])
        self.assertEqual(list((wanted - rows).items())[:3], [])

    def test_no_cell_is_a_formula(self):
        self.assertEqual(self.give('csv', '--blocks', '50').returncode, 0)
        for path in self.files('csv'):
            with open(path, newline='', encoding='utf-8') as file:
                for row in csv.reader(file):
                    for at, cell in enumerate(row):
                        self.assertTrue(8 <= at < 17 or at == 17 or cell[:1] not in ('=', '+', '-', '@', '\t', '\r'), row)
                        self.assertFalse(any(controls(ord(char)) for char in cell), row)

    def test_spreadsheet(self):
        if not shutil.which('ssconvert'):
            self.skipTest('ssconvert (gnumeric) is not installed')
        self.assertEqual(self.give('csv', *BLOCKS).returncode, 0)
        path = self.files('csv')[-1]
        told = os.path.join(self.work, 'told.csv')
        subprocess.run(['ssconvert', '-O', 'format=raw', '-T', 'Gnumeric_stf:stf_assistant', path, told], check=True,
                       capture_output=True, timeout=120)
        with open(path, newline='', encoding='utf-8') as file:
            wanted = list(csv.reader(file))[1:]
        with open(told, newline='', encoding='utf-8') as file:
            rows = list(csv.reader(file))[1:]
        self.assertEqual(len(rows), len(wanted))
        for row, line in zip(rows, wanted):
            self.assertEqual([float(cell) if cell else None for cell in row[8:17]],
                             [float(cell) if cell else None for cell in line[8:17]], row)

    def test_json(self):
        words = ['--blocks', '100']
        self.assertEqual(self.give('json', *words).returncode, 0)
        rows = read_json(self.files('json'))
        wanted = sorted(lines_of(expected(*words)), key=lambda line: line[0]['t'])
        rows.sort(key=lambda row: row['t'])
        self.assertEqual(len(rows), len(wanted))
        told = collections.Counter(json.dumps(row, sort_keys=True) for row in rows)
        self.assertEqual(list((told - collections.Counter(map(self.as_json, wanted))).items())[:3], [])

    def as_json(self, line):
        entry, key = line
        kind = entry['kind']
        keep = lambda text: clean(text, keep_c0=True)
        row = {'time': time_of(entry), 't': entry['t'], 'node': keep(node_of(entry)), 'kind': 'key' if key else kind,
               'state': entry.get('state', 'valid')}
        if entry['group']:
            row['group'] = entry['group']
        if kind.startswith('alarm'):
            row['id'] = entry['id']
        else:
            row.update({name: keep(entry[name]) for name in ('sensor', 'instance', 'metric', 'unit')})
        if kind == 'value':
            row['value'] = entry.get('value')
        elif kind == 'window':
            row.update({name: entry[name] for name in ('window_ms', 'count')})
            if entry['count']:
                row.update({name: entry[name] for name in ('min', 'max', 'mean')}, stddev=deviation(entry))
                row.update(zip(('p50', 'p90', 'p99'), quantiles(entry)))
            else:
                row['state'] = 'gap'
            row.update({name: entry[name] for name in ('sum', 'expected', 'oldest_ms') if name in entry})
        elif kind == 'record':
            names = ('start_ns', 'duration_ns', 'sequence', 'result', 'cpu_ns', 'allocated')
            row.update({name: entry[name] for name in names if name in entry})
        elif key:
            row.update(key=keep(key['key']), count=key['count'], error=key['error'])
        elif kind == 'alarm':
            row.update(sensor=keep(entry['alarm_sensor']), instance=keep(entry['alarm_instance']))
            row.update({name: keep(entry[name]) for name in ('threshold', 'value', 'limit', 'message')})
            row.update(index=entry['index'], severity=entry['severity'], by=keep(entry['acknowledged']),
                       state={2: 'info', 3: 'warning', 4: 'critical'}[entry['severity']])
            for name in ('since', 'unconfirmed', 'acknowledged'):
                ms = entry[name + '_ms']
                row[name] = time_of({'t': ms}) if ms else None
        else:
            row['state'] = 'cleared'
        # jansson has no integers beyond 63 bits.
        for name in ('count', 'error', 'sequence', 'duration_ns', 'window_ms'):
            if isinstance(row.get(name), int) and row[name] >= 2 ** 63:
                row[name] = float(row[name])
        for name in ('value', 'min', 'max', 'mean', 'stddev', 'sum', 'p50', 'p90', 'p99'):
            if isinstance(row.get(name), int):
                row[name] = float(row[name])
        return json.dumps(row, sort_keys=True)

    def test_sensors(self):
        self.assertEqual(self.give('csv', '--plain', '--sensors', 'cpu', *BLOCKS).returncode, 0)
        kinds = {(row[3], row[7]) for row in read_csv(self.files('csv')) if not row[7].startswith('alarm')}
        self.assertEqual({sensor for sensor, _ in kinds}, {'cpu'})


class Killed(Case):
    def reference(self, kind, words):
        place = os.path.join(self.work, 'reference', kind)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        self.assertEqual(self.give(kind, *words, place=place).returncode, 0)
        return sorted(self.lines(kind, place))

    def test_at_each_call(self):
        """Killed as it enters each of its system calls about files; then it goes on, and is killed at another."""
        for kind in ('csv', 'json'):
            words = [*BLOCKS, '--rotate', '40000']
            wanted = self.reference(kind, words)
            kill = lambda n: ['strace', '-qq', '-o', os.path.join(self.work, 'trace'), '-e', 'trace=' + ','.join(CALLS),
                              '-e', f'inject={",".join(CALLS)}:signal=KILL:when={n}']
            calls = self.calls(kind, words)
            self.assertGreater(calls, 150)
            pick = random.Random(5)
            for at in range(1, calls + 1, 7 if SHORT else 1):
                shutil.rmtree(self.place, ignore_errors=True)
                for n in (at, pick.randrange(1, calls), pick.randrange(20, 60)):
                    self.give(kind, *words, before=kill(n))
                said = self.give(kind, *words)
                self.assertEqual(said.returncode, 0, (at, said.stderr))
                self.assertEqual(sorted(self.lines(kind)), wanted, f'killed at call {at}')

    def calls(self, kind, words):
        trace = os.path.join(self.work, 'trace')
        shutil.rmtree(self.place, ignore_errors=True)
        self.give(kind, *words, before=['strace', '-o', trace, '-e', 'trace=' + ','.join(CALLS)])
        with open(trace, encoding='utf-8', errors='replace') as file:
            return sum('(' in line for line in file)

    def test_at_any_time(self):
        words = ['--blocks', '60', '--rotate', '100000']
        wanted = self.reference('csv', words)
        pick = random.Random(6)
        for _ in range(20 if SHORT else 300):
            self.give('csv', *words, '--kill-after', str(pick.randrange(1, 30000)))
        self.assertEqual(self.give('csv', *words).returncode, 0)
        self.assertEqual(sorted(self.lines('csv')), wanted)

    def test_failing_calls(self):
        """A call that fails is an error, and what comes after makes it good, in the same process."""
        wanted = self.reference('csv', BLOCKS)
        for call in ('pwrite64', 'fallocate', 'fdatasync', 'fsync', 'renameat', 'openat'):
            for n in (1, 2, 3, 5, 8, 13):
                shutil.rmtree(self.place, ignore_errors=True)
                said = self.give('csv', *BLOCKS, '--retry', '3', before=[
                    'strace', '-qq', '-o', os.path.join(self.work, 'trace'), '-e', f'trace={call}', '-P', self.place,
                    '-e', f'inject={call}:error=EIO:when={n}'] if call == 'openat' else [
                    'strace', '-qq', '-o', os.path.join(self.work, 'trace'), '-e', f'trace={call}',
                    '-e', f'inject={call}:error=EIO:when={n}'])
                if said.returncode == 3:  # at the opening, which is not tried again
                    said = self.give('csv', *BLOCKS)
                self.assertEqual(said.returncode, 0, (call, n, said.stderr))
                self.assertEqual(sorted(self.lines('csv')), wanted, (call, n))


class Rotation(Case):
    def test_by_size(self):
        self.assertEqual(self.give('csv', '--blocks', '40', '--rotate', '60000', '--batch', '1').returncode, 0)
        files = self.files('csv')
        self.assertGreater(len(files), 4)
        self.assertLessEqual(max(map(os.path.getsize, files)), 60000)

    def test_by_day(self):
        """The first entry is of two seconds before midnight."""
        self.assertEqual(self.give('csv', *BLOCKS, '--batch', '1').returncode, 0)
        days = [os.path.basename(path)[5:15] for path in self.files('csv')]
        self.assertEqual(days, ['2026-11-26', '2026-11-27'])

    def test_what_was_rotated_stays(self):
        self.assertEqual(self.give('csv', *BLOCKS, '--rotate', '30000').returncode, 0)
        before = {path: open(path, 'rb').read() for path in self.files('csv')[:-1]}
        self.assertEqual(self.give('csv', '--blocks', '40', '--rotate', '30000').returncode, 0)
        for path, data in before.items():
            with open(path, 'rb') as file:
                self.assertEqual(file.read(), data)

    def test_limit(self):
        said = self.give('csv', '--blocks', '60', '--limit', '200000', '--batch', '1')
        self.assertEqual(said.returncode, 0)
        self.assertIn(b'was removed', said.stderr)
        files = self.files('csv')
        self.assertLessEqual(sum(map(os.path.getsize, files)), 200000)
        self.assertGreater(sum(map(os.path.getsize, files)), 100000)
        numbers = [int(path[-8:-4]) for path in files]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        self.assertGreater(numbers[0], 1)

    def test_who_follows(self):
        """What somebody sees who reads meanwhile is never taken back: the beginning of what is there in the end."""
        writer = subprocess.Popen([DRIVER, '--kind', 'csv', '--location', self.place, '--blocks', '300', '--batch', '1',
                                   '--start', '1795737600000'], stdout=subprocess.DEVNULL)
        self.addCleanup(writer.wait)
        seen, times = collections.defaultdict(bytes), 0
        while writer.poll() is None:
            for path in self.files('csv'):
                with open(path, 'rb') as file:
                    data = file.read()
                # What was read before is its beginning, and so on: one reading of each file is enough to keep.
                self.assertTrue(data.startswith(seen[path]), path)
                seen[path] = data
                times += 1
        self.assertEqual(writer.returncode, 0)
        self.assertGreater(times, 10)
        for path, data in seen.items():
            with open(path, 'rb') as file:
                self.assertEqual(file.read(len(data)), data)


class Trouble(Case):
    def test_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest('only root mounts a file system')
        disk = os.path.join(self.work, 'disk')
        os.mkdir(disk)
        place = os.path.join(disk, 'files')
        wanted = Killed.reference(self, 'csv', ['--blocks', '40'])
        # The disk is full until it is made larger; all of it in one mount namespace.
        script = f'''set -e
            mount -t tmpfs -o size=200k none {disk}
            {DRIVER} --kind csv --location {place} --blocks 40 2>{self.work}/full && exit 9
            for path in {place}/*.csv; do [ -z "$(tail -c1 $path)" ] || exit 8; done
            mount -o remount,size=10m {disk}
            {DRIVER} --kind csv --location {place} --blocks 40
            cp -r {place} {self.place}'''
        said = subprocess.run(['unshare', '-m', 'sh', '-c', script], capture_output=True, timeout=60)
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(f'{self.work}/full', encoding='utf-8') as file:
            error = file.read()
        self.assertIn('No space left on device', error)
        self.assertIn(place, error)
        self.assertEqual(sorted(self.lines('csv')), wanted)

    def test_read_only(self):
        if os.geteuid() != 0:
            self.skipTest('only root mounts a file system')
        self.assertEqual(self.give('csv', *BLOCKS).returncode, 0)
        before = self.lines('csv')
        script = f'mount --bind {self.place} {self.place} && mount -o remount,ro,bind {self.place} && exec "$@"'
        self.failing('csv', 'Read-only file system', self.place, words=['--blocks', '20'],
                     before=['unshare', '-m', 'sh', '-c', script, 'sh'])
        self.assertEqual(self.lines('csv'), before)

    def test_no_directory(self):
        self.place = os.path.join(self.work, 'a/b')
        self.failing('csv', self.place, 'No such file or directory')
        self.place = 'relative'
        self.failing('csv', '"relative"')

    def test_directory_is_none(self):
        with open(self.place, 'w', encoding='utf-8'):
            pass
        self.failing('csv', self.place, 'Not a directory')

    def test_directory_goes(self):
        """While it writes: an error, and when it is there again, the rest comes."""
        words = ['--blocks', '600', '--streams', '1', '--entries', 'v']
        # What it says of 300 commits or so fills the pipe: it is not done before somebody reads that.
        writer = subprocess.Popen([DRIVER, '--kind', 'csv', '--location', self.place, '--batch', '1', *words], bufsize=0, pipesize=4096,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not writer.stdout.readline().startswith(b'committed 0 5'):
            pass
        os.rename(self.place, self.place + '.old')
        _, error = writer.communicate(timeout=60)
        self.assertEqual(writer.returncode, 3)
        self.assertIn(b'No such file or directory', error)
        os.rename(self.place + '.old', self.place)
        self.assertEqual(self.give('csv', *words).returncode, 0)
        rows = collections.Counter(read_csv(self.files('csv')))
        self.assertEqual(rows, collections.Counter(csv_row(*line) for line in lines_of(expected(*words))))

    def current(self):
        self.assertEqual(self.give('csv', *BLOCKS).returncode, 0)
        return self.files('csv')[-1]

    def left(self, path, what, kept):
        """It stays as it is, which is said once, and a new one goes on with what was not confirmed."""
        with open(path, 'rb') as file:
            before = file.read()
        said = self.give('csv', '--blocks', '20')
        self.assertEqual(said.returncode, 0, said.stderr)
        error = said.stderr.decode()
        self.assertEqual((error.count('\n'), error.count(path), error.count(what), error.count('a new file is begun')),
                         (1, 1, 1, 1), error)
        with open(path, 'rb') as file:
            self.assertEqual(file.read(), before)
        rows = collections.Counter(read_csv([kept, *(name for name in self.files('csv') if name != path)]))
        self.assertEqual(rows, collections.Counter(csv_row(*line) for line in lines_of(expected('--blocks', '20'))))
        said = self.give('csv', '--blocks', '22')
        self.assertEqual((said.returncode, said.stderr), (0, b''))

    def kept(self, path):
        """A copy of what was confirmed."""
        return shutil.copy(path, os.path.join(self.work, 'kept.csv'))

    def test_symbolic_link(self):
        path = self.current()
        kept, victim = self.kept(path), shutil.copy(path, os.path.join(self.work, 'victim'))
        os.unlink(path)
        os.symlink(victim, path)
        self.left(path, 'another file', kept)
        with open(victim, 'rb') as file, open(kept, 'rb') as same:
            self.assertEqual(file.read(), same.read())

    def test_another_file(self):
        """As an editor leaves it."""
        path = self.current()
        kept = self.kept(path)
        os.rename(path, path + '.kept')
        with open(path, 'wb') as file, open(kept, 'rb') as data:
            file.write(data.read() + b'of somebody else\n')
        self.left(path, 'another file', kept)

    def test_shorter(self):
        path = self.current()
        kept = self.kept(path)
        os.truncate(path, 100)
        self.left(path, 'shorter', kept)

    def test_pipe(self):
        path = self.current()
        kept = self.kept(path)
        os.unlink(path)
        os.mkfifo(path)
        said = self.give('csv', '--blocks', '20')
        self.assertEqual((said.returncode, said.stderr.count(b'another file')), (0, 1), said.stderr)
        rows = collections.Counter(read_csv([kept, *(name for name in self.files('csv') if name != path)]))
        self.assertEqual(rows, collections.Counter(csv_row(*line) for line in lines_of(expected('--blocks', '20'))))

    def test_taken_away(self):
        """As logrotate does."""
        path = self.current()
        old = os.path.join(self.work, 'old.csv')
        os.rename(path, old)
        self.assertEqual(self.give('csv', '--blocks', '20').returncode, 0)
        rows = collections.Counter(read_csv([*self.files('csv'), old]))
        self.assertEqual(rows, collections.Counter(csv_row(*line) for line in lines_of(expected('--blocks', '20'))))

    def test_state_is_none(self):
        self.current()
        state = os.path.join(self.place, 'test.state')
        for text in ('nonsense\n', 'dcamp-sink-files 1\nfile 1 2 ../../etc/passwd\n', 'dcamp-sink-files 1\nfile 1 2 ',
                     'dcamp-sink-files 1\nfile 0 0 \nstream 1 0 0 - -\n', 'dcamp-sink-files 1\nfile 0 0 \nstream 1 1 0 -\n'):
            with open(state, 'w', encoding='utf-8') as file:
                file.write(text)
            self.failing('csv', state, 'move it away')
            with open(state, encoding='utf-8') as file:
                self.assertEqual(file.read(), text)

    def test_two_writers(self):
        writer = subprocess.Popen([DRIVER, '--kind', 'csv', '--location', self.place, *BLOCKS, '--hold'],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        while writer.stdout.readline() != b'done\n':
            pass
        self.failing('json', self.place, str(writer.pid))
        writer.communicate()
        self.assertEqual(writer.returncode, 0)


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C.UTF-8'
    # A process that strace holds cannot look for leaks.
    os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
    unittest.main(testRunner=unittest.TextTestRunner(stream=sys.stdout, verbosity=1))
