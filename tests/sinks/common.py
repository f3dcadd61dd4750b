"""What the tests of sinks with real servers share: the driver, servers of their own, comparing."""
import collections
import contextlib
import json
import os
import pwd
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
BUILD = os.environ.get('DCAMP_BUILD') or os.path.join(TOP, 'build')
DRIVER = os.path.join(BUILD, 'tests/integration/publish-driver')

# Kills less often, and gives fewer blocks.
SHORT = bool(os.environ.get('DCAMP_TEST_SHORT'))


def module(kind):
    return os.path.join(BUILD, f'publish/.libs/{kind}.so')


def skip(what, package):
    print(f'{what} is missing (package {package})', file=sys.stderr)
    sys.exit(1 if os.environ.get('DCAMP_ALL') else 77)


def need(program, package):
    """Skips the whole test; where everything is to be there, it fails."""
    path = shutil.which(program, path=os.environ['PATH'] + ':/usr/sbin:/sbin')
    if not path:
        skip(program, package)
    return path


def demote(user):
    """For subprocess: servers refuse to run as root."""
    if os.getuid() != 0:
        return {}
    account = pwd.getpwnam(user)
    return {'user': account.pw_uid, 'group': account.pw_gid, 'extra_groups': []}


def free_port():
    """Of TCP and UDP, and below those that the kernel gives to connections, which may come before who is to have it."""
    while True:
        port = random.randrange(10000, 32768)
        try:
            for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
                with socket.socket(socket.AF_INET, kind) as sock:
                    sock.bind(('127.0.0.1', port))
            return port
        except OSError:
            pass


def until(what, seconds=30):
    """Waits for an event."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise AssertionError(f'not within {seconds} s: {what}')
        time.sleep(0.02)


def clean(text):
    """What is no UTF-8 becomes U+FFFD, octet by octet."""
    said = text.encode('latin-1').decode('utf-8', 'surrogateescape')
    return ''.join('\ufffd' if '\udc80' <= char <= '\udcff' else char for char in said)


class Driver:
    """publish-driver, for one module and one set of blocks."""

    def __init__(self, kind, location, *words):
        self.blocks = list(words)
        self.words = ['--module', module(kind), '--name', 'test', '--location', location]

    def expected(self):
        said = subprocess.run([DRIVER, '--expect', *self.blocks], capture_output=True, timeout=100, check=True)
        return [json.loads(line) for line in said.stdout.decode().splitlines()]

    def run(self, *words, timeout=100):
        return subprocess.run([DRIVER, *self.words, *self.blocks, *words], capture_output=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, text=True)

    def start(self, *words):
        return subprocess.Popen([DRIVER, *self.words, *self.blocks, *words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_killed(self, first_us=3000, step_us=2500, *words):
        """Again and again, killed a little later each time, until it has come to the end. How often."""
        for turn in range(400):
            said = self.run('--kill-after', str(first_us + turn * step_us), '--batch', '3', *words)
            if said.returncode == 0:
                return turn
            assert said.returncode == -signal.SIGKILL, (said.returncode, said.stderr)
        raise AssertionError('it never comes to the end')


class Case(unittest.TestCase):
    maxDiff = 2000

    def same(self, told, expected):
        """Value by value, however often each, in any order."""
        told, expected = collections.Counter(told), collections.Counter(expected)
        self.assertEqual(list((expected - told).elements())[:3], [], f'missing, of {expected.total()}')
        self.assertEqual(list((told - expected).elements())[:3], [], 'too many')


CONFIGURATION = '''<dcamp version="1">
  <node name="node1" group="g"/>
  <report keep="3600"/>
  <sensors>
    <sensor name="switches" metric="kernel.switches" calculation="rate" interval="200ms"/>
    <sensor name="idle" metric="cpu.idle" calculation="percent" instances="total" interval="500ms"/>
    <sensor name="free" metric="mem.free" interval="1s"/>
  </sensors>
  <sinks>
    <sink name="history" kind="sqlite"/>
    <sink name="test" {}/>
  </sinks>
</dcamp>
'''


class Whole:
    """The whole of it: dcampd with a node's sensors, and dcamp-publish with the sink "test"."""
    LAB = os.path.join(TOP, 'tests/lab/lab')
    SENSORS = 'switches', 'idle', 'free'

    def __init__(self, attributes):
        need('snmpbulkwalk', 'snmp')
        self.place = temporary()
        self.directory = os.path.join(self.place, 'lab')
        config = os.path.join(self.place, 'dcamp.xml')
        with open(config, 'w', encoding='ascii') as file:
            file.write(CONFIGURATION.format(attributes))
        os.environ['DCAMP_SCHEMA_DIR'] = os.path.join(TOP, 'conf')
        self.publisher = None
        self.lab('start', '--config', config, '--history')
        self.settings = {}
        for line in self.lab('env').splitlines():
            words = shlex.split(line.removeprefix('export '))
            if words and '=' in words[0]:
                name, value = words[0].split('=', 1)
                self.settings[name] = value
        self.pid = int(self.settings['DCAMP_LAB_PID_PUBLISH'])

    def lab(self, verb, *words):
        env = dict(os.environ, DCAMP_BUILD=BUILD)
        return subprocess.run([self.LAB, verb, '--dir', self.directory, *words], check=True, env=env, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=200).stdout

    def ask(self, command, output, *oids):
        said = subprocess.run([command, output, *shlex.split(self.settings['DCAMP_LAB_SNMP']), '-m', 'DCAMP-MIB',
                               self.settings['DCAMP_LAB_NODE_1'], *('DCAMP-MIB::' + oid for oid in oids)],
                              capture_output=True, text=True, timeout=60)
        assert said.returncode == 0, said.stderr
        return said.stdout

    def sink(self, column):
        return self.ask('snmpget', '-OqvU', f'dcampSink{column}."test"').strip().strip('"')

    def is_up(self):
        return self.sink('State') == 'up'

    def workers(self):
        said = subprocess.run(['pgrep', '-P', str(self.pid), '-f', '--', '--sink test'], capture_output=True, text=True)
        return [int(pid) for pid in said.stdout.split()]

    def kill_worker(self):
        before = self.workers()
        os.kill(before[0], signal.SIGKILL)
        until(lambda: self.workers() and self.workers() != before and self.is_up())

    def kill_publisher(self):
        """With the processes of its sinks, which end when it does; another one goes on."""
        for pid in [self.pid, *self.workers()]:
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself meanwhile
                os.kill(pid, signal.SIGKILL)
        if self.publisher:
            self.publisher.wait()
        until(lambda: self.sink('State') == 'absent')
        history = self.settings['DCAMP_LAB_HISTORY']
        with open(os.path.join(self.place, 'publish.log'), 'a', encoding='utf-8') as log:
            self.publisher = subprocess.Popen(
                [os.path.join(BUILD, 'dcamp-publish'), '--socket', self.settings['DCAMP_LAB_PUBLISH_SOCKET'],
                 '--state-dir', os.path.dirname(history), '--modules', os.path.join(BUILD, 'publish/.libs')], stdin=subprocess.DEVNULL, stderr=log)
        self.pid = self.publisher.pid
        until(self.is_up)

    def reported(self):
        """{(sensor, ms): value, with six digits}: what the blocks that the node keeps say of its sensors."""
        numbers = {self.ask('snmpget', '-Oqv', f'dcampValueSeries."{name}"."total"').strip(): name
                   for name in self.SENSORS}
        blocks = ''.join(self.ask('snmpbulkwalk', '-OqvxUt', 'dcampReportBlock').replace('\n', '').replace('"', '\n'))
        said = subprocess.run([os.path.join(BUILD, 'tests/integration/read-blocks')], input=blocks, text=True,
                              capture_output=True, check=True, timeout=60)
        result = {}
        for kind, number, ms, value, *_ in (line.split() for line in said.stdout.splitlines()):
            if kind == 'value' and number in numbers and value != '-':
                result[numbers[number], int(ms)] = value
        return result

    def has_all(self, case, have):
        """What it has reported is there, and nothing that it has not. How much that is."""
        reported = self.reported()
        until(lambda: not reported.items() - have().items())
        # What is beyond what was reported by then came later.
        last = max(ms for _, ms in reported)
        case.assertEqual([key for key in have() if key not in reported and key[1] <= last - 2000], [])
        return len(reported)

    def kill_each(self, case, server, have, trouble):
        """The processes of dcamp-publish and the server, while values come; have() is as reported() what the server
        has, and trouble what is said of it while it is gone."""
        until(lambda: len(self.reported()) > 30)
        self.has_all(case, have)
        for _ in range(3):
            self.kill_worker()
        self.has_all(case, have)
        self.kill_publisher()
        self.has_all(case, have)
        server.kill()
        until(lambda: self.sink('State') == 'failing')
        case.assertIn(trouble, self.sink('Error'))
        server.start()
        until(self.is_up, 90)
        case.assertGreater(self.has_all(case, have), 100)
        case.assertEqual((self.sink('Lost'), self.sink('Dropped')), ('0', '0'))

    def close(self):
        end(self.publisher)
        self.lab('stop')
        shutil.rmtree(self.place)


def temporary(user=None):
    path = tempfile.mkdtemp(prefix='dcamp-sinks.')
    os.chmod(path, 0o755)
    if user and os.getuid() == 0:
        shutil.chown(path, user)
    return path


def end(process):
    if process and process.poll() is None:
        process.kill()
    if process:
        process.wait()
