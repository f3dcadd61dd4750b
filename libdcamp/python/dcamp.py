"""Sensors of a program's own, published for dCAMP.

    import dcamp

    app = dcamp.App("shop")
    orders = app.counter("orders", unit="orders")
    payment = app.timer("payment", "card")
    with payment:
        orders.add(1)

A program counts into a file of its own, which dcampd reads: there is no server to ask and no message to
send. Nothing here ever needs dcampd, and nothing raises an exception of its own: where something cannot be
published, the same calls count in memory that nobody sees, and the attributes `error` (a number
of errno) and `reason` (a text) of the application and of each sensor say why; they are 0 and "" where it
is published.

Names have 1 to 32 of the characters A-Z a-z 0-9 . _ -, instances at most 64 octets, units 16 and
purposes 32 octets of UTF-8 without control characters. All sensors of one name are of the same kind and
unit. Making a sensor that is there returns that one. Sensors stay until the process ends. An update
that makes no sense (a number below 0 for a counter, a text for a gauge) is left out.

Updates may come from any thread. Each of up to 64 threads counts in a place of its own, without a lock;
those beyond share one, by a lock. After os.fork() the child counts from 0 in a file of its own, which
its first update makes. The environment variable DCAMP_APPS names the directory of the files, instead of
/run/dcamp/apps.

What a handler of a signal raises, as a time limit does, goes on to the program, and the update that it came
into is whole, or has not been made. A few things remain: an execution of a step may have been counted
without its record, or stay begun; where a value has a class of the program's own, an exception that
calculating with it could raise, such as a ValueError, is lost; Python itself ignores what is raised within
a finalizer; and with Python 3.9, in which signals come between any two instructions, an update may be
counted in part.

This is Python only, from 3.9 on, for Linux on little-endian processors of 64 bits; elsewhere it
publishes nothing. The layout of the file is that of dcamp/segment.h.
"""
# What is written here while dcampd reads it must be whole, and in order. A store by memoryview.cast() is
# one memcpy(3) of the size of the number, at a multiple of it, of which compilers make one instruction;
# calls of the interpreter lie between two stores, so that no compiler changes their order. Neither does
# an x86 processor; for others see in_order().
#
# A word of a thread's own shard is written by that thread only. A handler of a signal that runs there
# cannot come between reading and writing it from Python 3.10 on, since the interpreter looks for signals
# only where it jumps back or calls; before, its update may be lost, or undo one.
#
# The handler may raise an exception as well. What belongs together is therefore stored in statements
# that neither call nor jump back, once all is there that they need.
#
# Two libraries cannot publish in one process, for the name of the file is that of the process: a module
# in C that uses libdcamp, and this one. The second one says that the file exists.
import atexit
import bisect
import collections
import contextvars
import errno
import fcntl
import functools
import heapq
import inspect
import math
import mmap
import operator
import os
import platform
import re
import resource
import struct
import sys
import threading
import time

try:
    import ctypes
    C_LIBRARY = ctypes.CDLL(None, use_errno=True)
except (ImportError, OSError):  # an interpreter that was built without it, or cannot load anything
    ctypes = None

__all__ = ['App', 'Counter', 'Gauge', 'Timer', 'Histogram', 'Top', 'Step', 'Execution', 'thread_name']

# -- The layout: dcamp/segment.h ------------------------------------------------------------------

MAGIC = int.from_bytes(b'dCAMPseg', 'little')
MAJOR, MINOR = 1, 0
DIRECTORY = '/run/dcamp/apps'
DIRECTORY_VARIABLE = 'DCAMP_APPS'
MODE = 0o640
SIZE_MAX = 16 << 20
EXTENT = 64 << 10
HEADER_SIZE = 4672
PANEL_SIZE, PANEL_HEAD = 576, 64
OWN_SHARDS = 64
SHARDS = 1 + OWN_SHARDS
NO_SHARD = 0xffff
DESCRIPTORS_MAX = 1024
NUMBERS = 16384
TEXTS = {'instance': 64, 'unit': 16, 'purpose': 32}
NAME = 32
KEY = 64
CLOCK_GETTIME = 1
CLOSED = 1

# Where the fields of the header are, and of a shard from its beginning on.
MAGIC_AT, DESCRIPTORS_AT, PANELS_AT, STATE_AT, RING_AT = 0, 64, 68, 72, 76
REFUSED_AT, CROWDED_AT, FULL_AT = 80, 84, 88
SHARD_AT, SHARD_SIZE = 512, 64
THREAD_AT, EPOCH_AT, SEQUENCE_AT, SHARD_PANELS_AT, SINCE_AT, STEPS_AT, NAME_AT = 0, 4, 8, 12, 16, 24, 32

# Kinds of panels, and how many of what they have there is in one.
DESCRIPTORS, WORDS, BUCKETS, ENTRIES, RECORDS = 1, 2, 3, 4, 5
IN_PANEL = {DESCRIPTORS: 3, WORDS: 64, BUCKETS: 128, ENTRIES: 6, RECORDS: 8}

# Kinds of sensors: the number, the words, the panels.
COUNTER, GAUGE, TIMER = (1, 1, 0), (2, 1, 0), (3, 2, 25)
HISTOGRAM, TOP, STEP = (4, 3, 50), (5, 2, 167), (6, 4, 25)
DESCRIPTOR = struct.Struct('<32s64s16s32s6I')

LEAST = 1e-9
PANELS_OF_SIGN = 25
TOP_ENTRIES, ENTRY_SIZE = 1000, 80
RING_PANELS, RECORD_SIZE = 64, 64
RECORD = struct.Struct('<IiQQQI')

MASK_64, MASK_32 = 2**64 - 1, 2**32 - 1
LONGEST = 2**63 - 1  # nanoseconds


def borders():
    """The upper borders of the buckets of dCAMP's histograms, but for the last one, which has none: the
    products of subagent/calculate/histogram.c, in the same order, for IEEE 754 rounds a product alike
    everywhere."""
    hundreds = (1.0, 7.389548748651375, 54.6054307086951, 403.5094921630072, 2981.753062882102,
                22033.809614607842, 162819.910265648, 1203165.6641590483, 8890851.328006797, 65699379.305318035)
    tens = (1.0, 1.2214109013609658, 1.491844589963407, 1.8221552453176855, 2.225600280603086,
            2.7183724448006337, 3.3202497380387546, 4.055389225281425, 4.953296609020535, 6.0500104759319875)
    ones = (1.0, 1.02020202020202, 1.0408121620242832, 1.061838670348006, 1.0832899566176628,
            1.1051746022058984, 1.1275013618464216, 1.1502791671362482, 1.1735171301086977, 1.1972245468785705)
    parts = ((2.787423110152436e-10, hundreds), (0.1353262606437916, hundreds[:1]), (1.0, hundreds),
             (485488766.1327849, hundreds), (2.3569934204113392e+17, hundreds[:1]))
    powers = [x * h * t * o for x, part in parts for h in part for t in tens for o in ones]
    return powers[1100 - 1036:1100 + 2073]


BORDERS = borders()
bucket_of = functools.partial(bisect.bisect_left, BORDERS)


def in_order():
    """Between two stores of which a reader must not see the second one without the first. Processors that
    are not x86 may change their order. Python has no barrier; a lock is given back by a store with
    release order and taken by a load with acquire order, and two of them in turn let nothing pass."""


if platform.machine() not in ('x86_64', 'AMD64'):
    _barriers = threading.Lock(), threading.Lock()

    def in_order():  # noqa: F811
        for barrier in _barriers:
            with barrier:
                pass


# -- Exceptions -----------------------------------------------------------------------------------

# What the interpreter, the system, and values that make no sense raise in this module.
FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RecursionError, TypeError, ValueError)


def pass_on(fault, *values):
    """Raises it again, if it is not of this module, but of a handler of a signal: that is a function of
    another one. So are the methods of values whose classes are not Python's own; they make no sense then."""
    trace = fault.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    if trace.tb_frame.f_globals is not globals() and all(type(value).__module__ == 'builtins' for value in values):
        raise fault


# -- The file -------------------------------------------------------------------------------------


class Unpublished(Exception):
    """Why nobody sees what is counted."""

    def __init__(self, error, reason):
        super().__init__(error, reason)
        self.error, self.reason = error, reason


def start_time_of(stat):
    """Field 22 of the text of /proc/PID/stat. The name of the program, in parentheses, may hold anything."""
    return int(stat.rpartition(b')')[2].split()[22 - 3])


def flock(kind):
    return struct.pack('hhqqi0q', kind, os.SEEK_SET, 0, 0, 0)


def is_locked(path):
    """Whether somebody holds the lock of the file, or it cannot be known that nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        lock = fcntl.fcntl(fd, fcntl.F_OFD_GETLK, flock(fcntl.F_WRLCK))
        return struct.unpack_from('h', lock)[0] != fcntl.F_UNLCK
    except OSError:
        return True
    finally:
        os.close(fd)


def set_aside(path):
    """What an earlier image of this process has left, the reader is to see once more. Nobody else makes
    files of these names: the start time of the process is in them."""
    for n in range(1, 10):
        if not os.path.lexists(f'{path}.{n}'):
            os.rename(path, f'{path}.{n}')
            return
    os.unlink(path)


def create(path):
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags, MODE)
    except FileExistsError:
        if is_locked(path):
            raise
        set_aside(path)
        return os.open(path, flags, MODE)


def map_memory(base, flags, fd):
    """By mmap(2) itself: the mapping is as large as the file may become, and is replaced where it is. The
    module mmap does neither, and has a descriptor of its own."""
    call = C_LIBRARY.mmap
    call.restype = ctypes.c_void_p
    call.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
    address = call(base, SIZE_MAX, mmap.PROT_READ | mmap.PROT_WRITE, flags, fd, 0)
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return address


class File:
    """Created, locked, and allocated on the disk before it is used, so that no full disk ends the program."""

    MAP_FIXED = 0x10

    def __init__(self):
        self.path, self.fd, self.identity, self.base = None, -1, None, None

    def open(self, directory):
        """Unpublished: why not; nothing is left of it then."""
        step = 'has no /proc/self/stat to take its name from'
        try:
            with open('/proc/self/stat', 'rb') as stat:
                self.start_time = start_time_of(stat.read())
            path = f'{directory}/{os.getpid()}.{self.start_time}'
            step = 'cannot be created'
            self.fd = create(path)
            self.path = path
        except (OSError, ValueError, IndexError) as fault:
            pass_on(fault)
            raise self.unpublished(directory, step, fault) from None
        try:
            step = 'cannot be locked'
            self.prepare()
            step = 'cannot be allocated'
            self.allocate(0, EXTENT)
            step = 'cannot be mapped'
            self.base = map_memory(None, mmap.MAP_SHARED, self.fd)
        except OSError as fault:
            pass_on(fault)
            self.undo()
            raise self.unpublished(directory, step, fault) from None
        self.octets = memoryview((ctypes.c_char * SIZE_MAX).from_address(self.base)).cast('B')

    @staticmethod
    def unpublished(directory, step, fault):
        error = getattr(fault, 'errno', None) or errno.EPROTO
        return Unpublished(error, f'a file in {directory} {step}: {os.strerror(error)}')

    def prepare(self):
        """The mode must not depend on the umask: dcampd reads the file as its group."""
        status = os.fstat(self.fd)
        self.identity = status.st_dev, status.st_ino
        fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, flock(fcntl.F_WRLCK))
        os.fchmod(self.fd, MODE)

    def is_ours(self):
        """Programs close descriptors that they do not know, and then others get the number."""
        try:
            status = os.fstat(self.fd)
        except OSError as fault:
            pass_on(fault)
            return False
        return (status.st_dev, status.st_ino) == self.identity

    def allocate(self, start, size):
        """Beyond the limit of the process the kernel would send SIGXFSZ."""
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if start + size > SIZE_MAX or (limit != resource.RLIM_INFINITY and limit < start + size):
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        if not self.is_ours():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        os.posix_fallocate(self.fd, start, size)

    def leave(self):
        """Lets go of the file. What still writes to its addresses writes to memory that nobody sees. In a
        forked child, the lock stays with the parent."""
        try:
            if self.base:
                map_memory(self.base, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | self.MAP_FIXED, -1)
        finally:
            if self.is_ours():
                os.close(self.fd)

    def release(self):
        """The same, and gives the lock back, which would last as long as a forked child has the file."""
        if self.is_ours():
            fcntl.fcntl(self.fd, fcntl.F_OFD_SETLK, flock(fcntl.F_UNLCK))
        self.leave()

    def undo(self):
        """Removes what was just made."""
        path, self.path = self.path, None
        try:
            if path:
                os.unlink(path)
        except OSError:
            pass
        self.release()


class Private:
    """Memory that nobody sees, instead of a file."""

    start_time = 0

    def __init__(self):
        self.octets = memoryview(mmap.mmap(-1, SIZE_MAX, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))

    def allocate(self, start, size):
        if start + size > SIZE_MAX:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def leave(self):
        pass

    release = undo = leave


# -- The segment ----------------------------------------------------------------------------------


class Segment:
    """What is written into the file. Only who has the lock of the process calls these methods."""

    def __init__(self, file):
        self.file = file
        self.octets = file.octets
        self.words, self.counts, self.reals = (self.octets.cast(form) for form in 'QId')
        self.size = EXTENT
        self.used = 0
        self.exhausted = False  # it could not grow: only who makes a sensor tries again
        self.panels = {}  # at which octet those are that there are: by kind, shard and number
        self.parts = {}  # Part of a top: by top and shard
        self.rings = {}  # Ring of the records of steps: by shard

    def count(self, at):
        """Adds 1 to a number of the header."""
        self.counts[at // 4] = (self.counts[at // 4] + 1) & MASK_32

    def publish(self, at, value):
        in_order()
        self.counts[at // 4] = value

    def write_header(self, name):
        writer = f'dcamp.py, Python {platform.python_version()}'.encode()[:32]
        struct.pack_into('<HHIIIIIQQQQ', self.octets, 8, MAJOR, MINOR, HEADER_SIZE, PANEL_SIZE, SHARDS, os.getpid(),
                         CLOCK_GETTIME, 0, self.file.start_time, time.time_ns(), time.monotonic_ns())
        struct.pack_into('32s32s', self.octets, 96, name.encode(), writer)

    def write_magic(self):
        in_order()
        self.words[MAGIC_AT // 8] = MAGIC

    def write_label(self, shard, label):
        """Of a thread: whole where the same even sequence stands before and after. It is odd already where an
        exception has come within this."""
        at = SHARD_AT + SHARD_SIZE * shard
        odd = self.counts[(at + SEQUENCE_AT) // 4] | 1
        self.publish(at + SEQUENCE_AT, odd)
        in_order()
        self.counts[(at + THREAD_AT) // 4] = label.thread
        self.counts[(at + EPOCH_AT) // 4] = label.epoch & MASK_32
        self.words[(at + SINCE_AT) // 8] = label.since
        struct.pack_into('32s', self.octets, at + NAME_AT, label.name)
        self.publish(at + SEQUENCE_AT, (odd + 1) & MASK_32)

    def take_panel(self):
        """The octet at which one begins that nobody has."""
        at = HEADER_SIZE + PANEL_SIZE * self.used
        if at + PANEL_SIZE > self.size:
            try:
                if self.exhausted:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self.file.allocate(self.size, EXTENT)
            except OSError as fault:
                pass_on(fault)
                self.exhausted = True
                self.count(FULL_AT)
                raise
            self.size += EXTENT
        self.used += 1
        self.counts[PANELS_AT // 4] = self.used
        return at

    def make_panel(self, kind, shard, number):
        at = self.take_panel()
        in_order()
        self.words[at // 8] = kind | shard << 16 | number << 32
        self.panels[kind, shard, number] = at
        if shard != NO_SHARD:
            panels = (SHARD_AT + SHARD_SIZE * shard + SHARD_PANELS_AT) // 4
            self.counts[panels] = (self.counts[panels] + 1) & MASK_32
        return at

    def panel(self, kind, shard, number):
        """At which octet its data begins; it is made, if need be. None: it cannot be made."""
        at = self.panels.get((kind, shard, number))
        if at is None:
            try:
                at = self.make_panel(kind, shard, number)
            except OSError as fault:
                pass_on(fault)
                return None
        return at + PANEL_HEAD

    def write_sensor(self, sensor, ring):
        """All but that it is there. OSError: there is no room."""
        for kind, shard, number in ((WORDS, 0, sensor.first_word // IN_PANEL[WORDS]),
                                    (DESCRIPTORS, NO_SHARD, sensor.index // IN_PANEL[DESCRIPTORS])):
            if (kind, shard, number) not in self.panels:
                self.make_panel(kind, shard, number)
        panel = self.panels[DESCRIPTORS, NO_SHARD, sensor.index // IN_PANEL[DESCRIPTORS]]
        at = panel + PANEL_HEAD + DESCRIPTOR.size * (sensor.index % IN_PANEL[DESCRIPTORS])
        DESCRIPTOR.pack_into(self.octets, at, *(text.encode() for text in sensor.texts), sensor.kind, 1,
                             sensor.first_word, sensor.n_words, sensor.first_panel, sensor.n_panels)
        self.counts[RING_AT // 4] = ring
        in_order()

    def word_at(self, shard, word):
        """Which of its words that one is in a shard; None: there is no room for it."""
        at = self.panel(WORDS, shard, word // IN_PANEL[WORDS])
        return None if at is None else at // 8 + word % IN_PANEL[WORDS]

    def bucket_panel(self, shard, number):
        """The first of its counts that a panel of buckets has in a shard; None: there is no room for it."""
        at = self.panel(BUCKETS, shard, number)
        return None if at is None else at // 4


# -- The process ----------------------------------------------------------------------------------


class Label:
    """What is said of a thread in its shard."""

    def __init__(self):
        self.thread, self.epoch, self.since, self.name = 0, 0, 0, b''


class Tenant:
    """Gives its shard back when the thread that has it ends: then nothing refers to it any more. Neither
    does in a forked child to those of the threads that are not there."""

    def __init__(self, process, shard):
        self.process, self.shard, self.pid = process, shard, os.getpid()

    def __del__(self):
        try:
            if os.getpid() == self.pid:
                self.process.give_back(self.shard)
        except (AttributeError, TypeError):  # the interpreter ends
            pass


def alone(method):
    """Of the process: one thread at a time. What interrupts it in its own thread, a handler of a signal or
    a finalizer, and is not to wait for it, is put off until it has ended, and gets None."""

    @functools.wraps(method)
    def call(self, *arguments):
        with self.lock:
            if self.busy:
                self.later.append((method, arguments))
                return None
            self.busy = True
            try:
                return method(self, *arguments)
            finally:
                try:
                    self.catch_up()
                finally:
                    self.busy = False

    return call


class Process:
    """The one application of the process, its sensors, and which shard each thread has."""

    def __init__(self):
        self.lock = threading.RLock()
        self.busy = False
        self.later = collections.deque()
        self.is_prepared = False
        self.users = 0
        self.name = ''
        self.directory = None  # None: no file is tried,
        self.name_fault = None  # for this reason
        self.making = None  # a file that is not in use yet
        self.error, self.reason = errno.ENOTCONN, 'the application is closed'
        self.segment = None
        self.is_forked = False  # the first update makes a segment
        self.sensors = []
        self.known = {}  # sensors by name and instance
        self.forms = {}  # kind and unit by name
        self.next_number = 0  # the first number of a panel that is free
        self.next_word = 0  # the first word that is free; a multiple of a panel's: none is
        self.ring = 0
        self.forget_threads()

    def forget_threads(self):
        self.free = set(range(1, SHARDS))
        self.labels = [Label() for _ in range(SHARDS)]
        self.places = {}  # what threads remember of where they count: by shard

    def catch_up(self):
        """What was put off."""
        while self.later:
            method, arguments = self.later.popleft()
            try:
                method(self, *arguments)
            except FAULTS as fault:
                pass_on(fault)

    # -- Opening and closing --

    def prepare(self):
        if not self.is_prepared:
            os.register_at_fork(before=lambda: self.lock.acquire(), after_in_parent=lambda: self.lock.release(),
                                after_in_child=self.after_fork)
            atexit.register(self.end)
        self.is_prepared = True

    @alone
    def open(self, name):
        self.prepare()
        if self.users == 0:
            self.end_segment()  # what an exception that came within this has left
            self.name_fault = name_fault(name)
            self.name = '' if self.name_fault else name
            self.directory = None if self.name_fault else find_directory()
            self.make_segment()
        self.users += 1

    def make_segment(self):
        """With a file, or else in memory that nobody sees."""
        self.undo_making()
        error, reason = 0, ''
        try:
            self.make_file()
            segment = self.write_segment(self.making)
        except Unpublished as fault:
            error, reason = fault.error, fault.reason
            self.making = None
            segment = self.write_segment(Private())
        except BaseException:
            self.undo_making()
            raise
        self.segment, self.error, self.reason, self.is_forked = segment, error, reason, False
        self.making = None

    def undo_making(self):
        if self.making:
            self.making.undo()
        self.making = None

    def make_file(self):
        if self.directory is None:
            raise Unpublished(errno.EINVAL, self.name_fault)
        if sys.byteorder != 'little' or struct.calcsize('P') != 8 or ctypes is None or \
                not hasattr(fcntl, 'F_OFD_SETLK'):
            raise Unpublished(errno.ENOTSUP, 'this needs Linux, a little-endian processor with 64 bits, and ctypes')
        self.making = File()
        self.making.open(self.directory)

    def write_segment(self, file):
        segment = Segment(file)
        segment.write_header(self.name)
        try:
            for sensor in self.sensors:
                segment.write_sensor(sensor, self.ring)
            segment.publish(DESCRIPTORS_AT, len(self.sensors))
            for shard, label in enumerate(self.labels):
                if label.epoch:
                    segment.write_label(shard, label)
            for sensor in self.sensors:
                sensor.has_moved(segment)
            segment.write_magic()
            return segment
        except OSError as fault:
            pass_on(fault)
            file.undo()
            raise File.unpublished(self.directory, 'cannot be allocated', fault) from None

    def forget_places(self):
        for places in self.places.values():
            places.clear()
        for sensor in self.sensors:
            sensor.has_moved(None)

    @alone
    def close(self):
        self.users -= 1
        if self.users == 0:
            self.end_segment()

    @alone
    def end(self):
        """The interpreter ends."""
        self.end_segment()

    def end_segment(self):
        segment, self.segment, self.is_forked = self.segment, None, False
        self.error, self.reason = errno.ENOTCONN, 'the application is closed'
        try:
            self.forget_places()
        finally:
            if segment:
                segment.publish(STATE_AT, CLOSED)
                segment.file.release()

    def after_fork(self):
        """In the child, which is one thread: nothing is written to the parent's file any more, even if it stays
        mapped, for want of memory. The lock is another one: a thread that is not here may have that of the
        parent, where code in C has forked and says it in the child only."""
        segment, self.segment = self.segment, None
        self.is_forked = self.is_forked or segment is not None
        self.lock = threading.RLock()
        self.making = None
        self.forget_places()
        own.__dict__.clear()
        self.forget_threads()
        self.later.clear()
        self.busy = False
        if segment:
            try:
                segment.file.leave()
            except OSError:
                pass

    def revive(self):
        """The segment; None: there is none. That of a forked child is made now."""
        if self.is_forked:
            self.make_segment()
        return self.segment

    # -- Threads --

    def attach(self, segment):
        """The shard of the calling thread; 0: there is none for it."""
        shard = getattr(own, 'shard', 0)
        if shard:
            return shard
        if not self.free:
            if not getattr(own, 'is_crowded', False):
                own.is_crowded = True
                segment.count(CROWDED_AT)
            return 0
        shard = min(self.free)
        tenant = Tenant(self, shard)  # which gives it back, should an exception come within this
        label = self.labels[shard]
        label.thread, label.since = threading.get_native_id(), time.time_ns()
        label.epoch += 1
        label.name = octets_of(threading.current_thread().name, 32)
        segment.write_label(shard, label)
        self.free.discard(shard)
        own.tenant = tenant
        own.places = self.places[shard] = {}
        own.shard = shard
        return shard

    @alone
    def give_back(self, shard):
        self.places.pop(shard, None)
        self.labels[shard].thread = 0
        if self.segment:
            self.segment.write_label(shard, self.labels[shard])
        self.free.add(shard)

    @alone
    def name_thread(self, name):
        segment = self.revive()
        shard = self.attach(segment) if segment else 0
        if shard:
            self.labels[shard].name = octets_of(name, 32)
            segment.write_label(shard, self.labels[shard])

    # -- Sensors --

    @alone
    def make(self, sensor_class, name, instance, unit, purpose):
        segment = self.revive()
        try:
            return self.find_or_make(segment, sensor_class, name, instance, unit, purpose)
        except Unpublished as fault:
            if segment:
                segment.count(REFUSED_AT)
            return sensor_class(fault)

    def find_or_make(self, segment, sensor_class, name, instance, unit, purpose):
        fault = name_fault(name) or text_fault(instance, 'instance') or text_fault(unit, 'unit') or \
            text_fault(purpose, 'purpose')
        if fault:
            raise Unpublished(errno.EINVAL, fault)
        texts = name, instance or '', unit or '', purpose or ''
        form = sensor_class, texts[2]
        if self.forms.get(name, form) != form:
            raise Unpublished(errno.EEXIST, f'{name}: a sensor of this name has another kind or unit')
        sensor = self.known.get(texts[:2])
        return sensor or self.add(segment, sensor_class(None), form, texts)

    def add(self, segment, sensor, form, texts):
        """Numbers of one that could not be written are not given to another: a panel may have them."""
        try:
            self.give_numbers(sensor, texts)
            if segment:
                segment.exhausted = False
                segment.write_sensor(sensor, self.ring)
                sensor.has_moved(segment)
        except OSError as fault:
            pass_on(fault)
            raise Unpublished(fault.errno, f'{texts[0]}: {fault.strerror}') from None
        if segment:
            segment.counts[DESCRIPTORS_AT // 4] = sensor.index + 1
        self.sensors += [sensor]
        self.known[texts[:2]] = sensor
        self.forms[texts[0]] = form
        return sensor

    def give_numbers(self, sensor, texts):
        """The words of a sensor lie within one panel: those that are left at the end of one stay unused."""
        wants_words = -self.next_word % IN_PANEL[WORDS] < sensor.n_words
        wants_ring = sensor.kind == STEP[0] and not self.ring
        wanted = wants_words + sensor.n_panels + (RING_PANELS if wants_ring else 0)
        if len(self.sensors) == DESCRIPTORS_MAX or self.next_number + wanted > NUMBERS:
            raise OSError(errno.ENOSPC, 'the program has too many sensors')
        sensor.texts, sensor.index = texts, len(self.sensors)
        if wants_words:
            self.next_word = IN_PANEL[WORDS] * self.take_numbers(1)
        sensor.first_word = self.next_word
        self.next_word += sensor.n_words
        sensor.first_panel = self.take_numbers(sensor.n_panels) if sensor.n_panels else 0
        if wants_ring:
            self.ring = self.take_numbers(RING_PANELS)

    def take_numbers(self, n):
        self.next_number += n
        return self.next_number - n

    # -- Updates that do not find their places --

    @alone
    def count(self, sensor, words, sum_, bucket):
        """Adds to up to three words of the sensor, (word, number), to the one that is a float, (word, number),
        and to a bucket; and lets the thread remember where that was, if it has places of its own."""
        segment = self.revive()
        if segment is None:
            return
        shard = self.attach(segment)
        at = self.find(segment.word_at, shard, sensor.first_word)  # all are in one panel
        panel = None if bucket is None else \
            self.find(segment.bucket_panel, shard, sensor.first_panel + bucket // IN_PANEL[BUCKETS])
        values, counts = segment.words, segment.counts
        (a, n_a), (b, n_b), (c, n_c) = (*words, (0, 0), (0, 0))[:3]
        values[at + a] = (values[at + a] + n_a) & MASK_64
        values[at + b] = (values[at + b] + n_b) & MASK_64
        values[at + c] = (values[at + c] + n_c) & MASK_64
        if sum_:
            segment.reals[at + sum_[0]] += sum_[1]
        if panel is not None:
            place = panel + bucket % IN_PANEL[BUCKETS]
            counts[place] = (counts[place] + 1) & MASK_32
        if shard:
            self.remember(segment, shard, sensor)

    @staticmethod
    def find(place, shard, number):
        """In the shard of the thread, or else in that of the process, whose words are always there."""
        at = place(shard, number)
        return place(0, number) if at is None and shard else at

    @staticmethod
    def remember(segment, shard, sensor):
        first = segment.panels.get((WORDS, shard, sensor.first_word // IN_PANEL[WORDS]))
        if first is not None:
            own.places[sensor] = sensor.places(segment, shard, segment.word_at(shard, sensor.first_word))

    @alone
    def set_gauge(self, gauge, value, is_sum):
        segment = self.revive()
        if segment:
            at = segment.word_at(0, gauge.first_word)
            segment.reals[at] = segment.reals[at] + value if is_sum else value

    @alone
    def keep_record(self, step, record):
        """In a ring that has yet to be made, or a panel of it; or in that of the process."""
        segment = self.revive()
        if segment is None:
            return
        shard = self.attach(segment)
        ring = segment.rings.get(shard)
        if ring is None:
            ring = segment.rings[shard] = Ring(segment, shard, self.ring, self.labels[shard])
        ring.write(record, segment.panel)
        if shard:
            self.remember(segment, shard, step)

    @alone
    def add_to_top(self, top, key, n):
        """In a shard whose part, or a panel of it, has yet to be made; or in that of the process."""
        segment = self.revive()
        if segment is None:
            return
        shard = self.attach(segment)
        part = segment.parts.get((top, shard))
        if part is None:
            part = segment.parts[top, shard] = Part(segment, shard, top.first_panel)
        part.add(key, n, self.find(segment.word_at, shard, top.first_word), segment.panel)
        if shard:
            self.remember(segment, shard, top)


process = Process()
own = threading.local()  # shard, places, tenant; is_crowded


def find_directory():
    """A program with more rights than who has started it does not write where that one says."""
    is_trusted = (os.getuid(), os.getgid()) == (os.geteuid(), os.getegid())
    return (os.environ.get(DIRECTORY_VARIABLE) if is_trusted else None) or DIRECTORY


def name_fault(name):
    if not isinstance(name, str) or not name:
        return 'the name is empty'
    if not re.fullmatch('[A-Za-z0-9._-]*', name):
        return f'{name!r:.40}: the name has other characters than A-Z a-z 0-9 . _ -'
    return None if len(name) <= NAME else f'{name:.40}: the name has more than {NAME} characters'


def text_fault(text, what):
    """None is the empty text."""
    if text is None:
        return None
    try:
        if len(text.encode()) > TEXTS[what]:
            return f'the {what} has more than {TEXTS[what]} octets'
        return f'the {what} has control characters' if re.search('[\0-\x1f\x7f-\x9f]', text) else None
    except (AttributeError, UnicodeError):
        return f'the {what} is no text of Unicode'


def octets_of(text, size):
    """Cut to so many; a zero octet would end it."""
    return str(text).encode('utf-8', 'replace').split(b'\0', 1)[0][:size]


def thread_name(name):
    """Names the calling thread in its shard, by at most 32 octets of UTF-8. Without this it has the name
    that threading knows."""
    try:
        process.name_thread(name)
    except FAULTS as fault:
        pass_on(fault, name)


# -- Tops -----------------------------------------------------------------------------------------


class Part:
    """One shard of a top: Space-Saving (A. Metwally, D. Agrawal, A. El Abbadi: Efficient Computation of
    Frequent and Top-k Elements in Data Streams. ICDT 2005). A key that no entry has takes the one with the
    smallest count and begins with that count, which is its error."""

    def __init__(self, segment, shard, first_panel):
        self.segment, self.shard, self.first_panel = segment, shard, first_panel
        self.is_busy = False
        self.unwritten = None  # (entry, error) of one that is to be written to the file
        self.limit = TOP_ENTRIES
        self.index = {}  # the entry of a key
        self.keys, self.counts = [], []
        self.at = []  # at which octet each entry is
        self.heap = []  # (count as it once was, entry) of each, or more of them: a count only grows

    def smallest(self):
        while True:
            count, entry = self.heap[0]
            if count == self.counts[entry]:
                return entry
            heapq.heapreplace(self.heap, (self.counts[entry], entry))

    def add(self, key, n, total, panel=None):
        """To the key, and to the word that is the total; the one behind it is what no entry has. Without panel,
        which makes panels, False: it would need one, and nothing was added."""
        words = self.segment.words
        if self.is_busy:  # a handler of a signal, or a finalizer, has interrupted this
            words[total] = (words[total] + n) & MASK_64
            words[total + 1] = (words[total + 1] + n) & MASK_64
            return True
        self.is_busy = True
        try:
            if self.unwritten is not None:
                self.write()
            entry = self.index.get(key)
            if entry is not None:
                self.counts[entry] += n
                words[self.at[entry] // 8] = self.counts[entry] & MASK_64
                words[total] = (words[total] + n) & MASK_64
                return True
            if len(self.keys) < self.limit:
                return self.append(key, n, total, panel)
            return self.replace(key, n, total)
        except BaseException:
            if self.unwritten is not None:
                self.write()
            raise
        finally:
            self.is_busy = False

    def append(self, key, n, total, panel):
        words = self.segment.words
        entry = len(self.keys)
        if entry % IN_PANEL[ENTRIES]:
            at = self.at[-1] + ENTRY_SIZE
        elif panel is None:
            return False
        else:
            at = panel(ENTRIES, self.shard, self.first_panel + entry // IN_PANEL[ENTRIES])
            if at is None:
                self.limit = entry
                return self.replace(key, n, total)
        heapq.heappush(self.heap, (n, entry))
        self.unwritten = entry, 0
        self.keys += [key]
        self.counts += [n]
        self.at += [at]
        self.index[key] = entry
        words[total] = (words[total] + n) & MASK_64
        self.write()
        return True

    def replace(self, key, n, total):
        words = self.segment.words
        if self.limit == 0:
            words[total] = (words[total] + n) & MASK_64
            words[total + 1] = (words[total + 1] + n) & MASK_64
            return True
        entry = self.smallest()
        error = self.counts[entry]
        self.unwritten = entry, error
        del self.index[self.keys[entry]]
        self.keys[entry] = key
        self.counts[entry] += n
        self.index[key] = entry
        words[total] = (words[total] + n) & MASK_64
        self.write()
        return True

    def write(self):
        """Its sequence is odd meanwhile, and 0 only where there never was a key."""
        entry, error = self.unwritten
        segment, at = self.segment, self.at[entry]
        place = entry % IN_PANEL[ENTRIES]
        sequence = (at - PANEL_HEAD - ENTRY_SIZE * place + 8) // 4 + place
        odd = segment.counts[sequence] | 1
        segment.counts[sequence] = odd
        in_order()
        struct.pack_into('64s', segment.octets, at + 16, self.keys[entry])
        segment.words[at // 8 + 1] = error & MASK_64
        segment.words[at // 8] = self.counts[entry] & MASK_64
        in_order()
        segment.counts[sequence] = (odd + 1) & MASK_32 or 2
        self.unwritten = None


# -- Steps ----------------------------------------------------------------------------------------


class Ring:
    """The records of one shard."""

    def __init__(self, segment, shard, first_panel, label):
        self.segment, self.shard, self.first_panel, self.label = segment, shard, first_panel, label
        self.steps = (SHARD_AT + SHARD_SIZE * shard + STEPS_AT) // 8
        self.at = [None] * RING_PANELS  # at which octet the records of each panel are

    def write(self, record, panel=None):
        """Without panel, which makes panels, False: it would need one. What has interrupted this takes a
        number, and with it a record, of its own."""
        words = self.segment.words
        if self.at[words[self.steps] // IN_PANEL[RECORDS] % RING_PANELS] is None and panel is None:
            return False
        n = words[self.steps] = words[self.steps] + 1
        place = (n - 1) // IN_PANEL[RECORDS] % RING_PANELS
        if self.at[place] is None and panel:
            self.at[place] = panel(RECORDS, self.shard, self.first_panel + place)
        if self.at[place] is not None:
            self.put(self.at[place] + RECORD_SIZE * ((n - 1) % IN_PANEL[RECORDS]), n, record)
        return True

    def put(self, at, n, record):
        """Its number is stored last, and is 0 while it is being written."""
        words = self.segment.words
        words[at // 8] = 0
        in_order()
        RECORD.pack_into(self.segment.octets, at + 8, *record, self.label.thread)
        in_order()
        words[at // 8] = n


# -- Sensors --------------------------------------------------------------------------------------


def real(value):
    """As float(), but a text is none."""
    return math.ldexp(value, 0)


def between(ns):
    """A duration that the words have room for; a clock that has gone backwards has not moved."""
    return 0 if ns < 0 else ns if ns < LONGEST else LONGEST


def nothing(*_arguments, **_more):
    """An update of what is not published."""


class Sensor:
    kind, n_words, n_panels = 0, 0, 0
    updates = ()

    def __init__(self, fault):
        """fault: why it is not published, whatever becomes of the application; None."""
        self.fault = fault
        for name in self.updates if fault else ():
            setattr(self, name, nothing)

    @property
    def error(self):
        return self.fault.error if self.fault else process.error

    @property
    def reason(self):
        return self.fault.reason if self.fault else process.reason

    def has_moved(self, segment):
        """It is in another segment now; None: in none."""

    def places(self, segment, shard, word):
        """What a thread remembers: where its first word is in its shard, and more."""

    def count(self, words, sum_=None, bucket=None):
        try:
            process.count(self, words, sum_, bucket)
        except FAULTS as fault:
            pass_on(fault)


def bucket_panels(sensor, segment, shard):
    """For each panel of buckets the first of its counts, less what makes up its place among all; None: it
    is not there yet."""
    panels = [segment.panels.get((BUCKETS, shard, sensor.first_panel + i)) for i in range(sensor.n_panels)]
    return [None if at is None else (at + PANEL_HEAD) // 4 for at in panels]


class Counter(Sensor):
    """How much of something there has ever been."""

    kind, n_words, n_panels = COUNTER
    updates = ('add',)

    def places(self, segment, shard, word):
        return segment.words, word

    def add(self, n=1):
        """Adds a whole number that is not below 0."""
        try:
            words, at = own.places[self]
            if n >= 0:
                words[at] += n
        except FAULTS as fault:
            pass_on(fault, n)
            self.add_elsewhere(n)

    def add_elsewhere(self, n):
        try:
            n = operator.index(n)
        except FAULTS as fault:
            return pass_on(fault, n)
        if n >= 0:
            self.count(((0, n),))


class Gauge(Sensor):
    """How much of something there is. It belongs to the process, not to a thread: there is one word."""

    kind, n_words, n_panels = GAUGE
    updates = ('set', 'add')

    def __init__(self, fault):
        super().__init__(fault)
        self.place = None

    def has_moved(self, segment):
        self.place = segment and (segment.reals, segment.word_at(0, self.first_word))

    def set(self, value):
        try:
            reals, at = self.place
            reals[at] = value
        except FAULTS as fault:
            pass_on(fault, value)
            self.set_elsewhere(value, False)

    def add(self, n=1):
        """Adds a number, which may be below 0."""
        self.set_elsewhere(n, True)

    def set_elsewhere(self, value, is_sum):
        try:
            process.set_gauge(self, real(value), is_sum)
        except FAULTS as fault:
            pass_on(fault, value)


class Timer(Sensor):
    """How often something was done, and how long it took.

        with timer: ...
        @timer
        def function(): ...
        start = timer.start(); ...; timer.stop(start)
        timer.record(0.25)

    A function that is a coroutine is timed until it has ended, one that is a generator until it has made
    one. Several tasks may be within one "with timer" at a time; their count and sum are exact."""

    kind, n_words, n_panels = TIMER
    updates = ('count_duration',)

    def __init__(self, fault):
        super().__init__(fault)
        self.begun = contextvars.ContextVar('dcamp.Timer', default=None)  # (start, those before)

    def places(self, segment, shard, word):
        return segment.words, word, segment.counts, bucket_panels(self, segment, shard)

    def count_duration(self, ns):
        bucket = bucket_of((ns or 1) / 1e9)
        try:
            words, at, counts, panels = own.places[self]
            place = panels[bucket >> 7] + (bucket & 127)
            words[at] = (words[at] + 1) & MASK_64
            words[at + 1] = (words[at + 1] + ns) & MASK_64
            counts[place] = (counts[place] + 1) & MASK_32
        except FAULTS:
            self.count(((0, 1), (1, ns)), None, bucket)

    def start(self):
        """A moment, for stop() of this or another timer, in this or another thread."""
        return time.monotonic_ns()

    def stop(self, start):
        """Counts what has lasted from that moment until now, and returns it in nanoseconds."""
        try:
            ns = between(operator.index(time.monotonic_ns() - start))
        except FAULTS as fault:
            pass_on(fault, start)
            return 0
        self.count_duration(ns)
        return ns

    def record(self, seconds):
        """Counts a duration that is known: a number that is not below 0."""
        try:
            ns = round(seconds * 1e9)
        except FAULTS as fault:
            return pass_on(fault, seconds)
        if ns >= 0:
            self.count_duration(between(ns))

    def __enter__(self):
        self.begun.set((time.monotonic_ns(), self.begun.get()))
        return self

    def __exit__(self, *_fault):
        begun = self.begun.get()
        if begun:  # none: it was entered in another context
            self.begun.set(begun[1])
            self.stop(begun[0])

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def timed(*arguments, **named):
                start = time.monotonic_ns()
                try:
                    return await function(*arguments, **named)
                finally:
                    self.stop(start)
        else:
            @functools.wraps(function)
            def timed(*arguments, **named):
                start = time.monotonic_ns()
                try:
                    return function(*arguments, **named)
                finally:
                    self.stop(start)
        return timed


class Histogram(Sensor):
    """How values of any unit are distributed."""

    kind, n_words, n_panels = HISTOGRAM
    updates = ('add',)

    def places(self, segment, shard, word):
        return segment.words, word, segment.reals, segment.counts, bucket_panels(self, segment, shard)

    def add(self, value):
        """Values nearer to 0 than 1e-9 count as 0, those beyond 1e18 in the last bucket. What is no finite
        number is not counted."""
        try:
            value = real(value)
        except FAULTS as fault:
            return pass_on(fault, value)
        if not math.isfinite(value):
            return
        bucket = None
        if value >= LEAST:
            bucket = bucket_of(value)
        elif value <= -LEAST:
            bucket = bucket_of(-value) + (PANELS_OF_SIGN << 7)
        try:
            words, at, reals, counts, panels = own.places[self]
            if bucket is None:
                words[at + 2] = (words[at + 2] + 1) & MASK_64
            else:
                place = panels[bucket >> 7] + (bucket & 127)
                counts[place] = (counts[place] + 1) & MASK_32
            words[at] = (words[at] + 1) & MASK_64
            reals[at + 1] += value
        except FAULTS:
            self.count(((0, 1), (2, int(bucket is None))), (1, value), bucket)


class Top(Sensor):
    """Which keys have most of something, of any number of keys."""

    kind, n_words, n_panels = TOP
    updates = ('add',)

    def places(self, segment, shard, word):
        return word, segment.parts.get((self, shard))

    def add(self, key, n=1):
        """Adds a whole number that is not below 0 to what the key has: a text, or octets, of which the first
        64 count, up to one that is 0."""
        try:
            n = operator.index(n)
            if n < 0:
                return
            key = (key if isinstance(key, bytes) else str(key).encode('utf-8', 'replace'))[:KEY].split(b'\0', 1)[0]
        except FAULTS as fault:
            return pass_on(fault, key, n)
        try:
            total, part = own.places[self]
        except (AttributeError, KeyError):
            part = None
        try:
            if part is None or not part.add(key, n, total):
                process.add_to_top(self, key, n)
        except FAULTS as fault:
            pass_on(fault)


class Execution:
    """One of a step, which has begun. It ends once: by end(), or, in a with statement, with that, and then
    with the result -1 where an exception has ended it."""

    def __init__(self, step, sequence):
        self.step, self.sequence, self.result = step, sequence, None
        self.start = time.monotonic_ns()

    def end(self, result=0):
        """In this or another thread. The result 0 is success; others are the program's own."""
        step, self.step = self.step, None
        if step:
            step.end(self, self.result if self.result is not None else result)

    def __enter__(self):
        return self

    def __exit__(self, fault, *_more):
        self.end(0 if fault is None else -1)


class Step(Sensor):
    """Executions of a part of the program, one by one.

        with step.begin(4711) as execution: ...; execution.result = 7
        execution = step.begin(); ...; execution.end(0)"""

    kind, n_words, n_panels = STEP
    updates = ('count_begin', 'end')

    def places(self, segment, shard, word):
        return segment.words, word, segment.counts, bucket_panels(self, segment, shard), segment.rings.get(shard)

    def begin(self, sequence=0):
        """The sequence is the program's own number of what passes through one step after the other, as that of
        an order."""
        self.count_begin()
        try:
            sequence = operator.index(sequence) & MASK_64
        except FAULTS as fault:
            pass_on(fault, sequence)
            sequence = 0
        return Execution(self, sequence)

    def count_begin(self):
        try:
            words, at, *_others = own.places[self]
            words[at] = (words[at] + 1) & MASK_64
        except FAULTS:
            self.count(((0, 1),))

    def end(self, execution, result):
        ns = between(time.monotonic_ns() - execution.start)
        try:
            result = (operator.index(result) + 2**31) % 2**32 - 2**31
        except FAULTS as fault:
            pass_on(fault, result)
            result = -1
        record = self.index, result, execution.sequence, time.time_ns() - ns, ns
        self.count_end(ns, result)
        try:
            ring = own.places[self][4]
        except (AttributeError, KeyError):
            ring = None
        try:
            if ring is None or not ring.write(record):
                process.keep_record(self, record)
        except FAULTS as fault:
            pass_on(fault)

    def count_end(self, ns, result):
        bucket = bucket_of((ns or 1) / 1e9)
        try:
            words, at, counts, panels, _ring = own.places[self]
            place = panels[bucket >> 7] + (bucket & 127)
            words[at + 1] = (words[at + 1] + 1) & MASK_64
            words[at + 2] = (words[at + 2] + ns) & MASK_64
            words[at + 3] = (words[at + 3] + (result != 0)) & MASK_64
            counts[place] = (counts[place] + 1) & MASK_32
        except FAULTS:
            self.count(((1, 1), (2, ns), (3, int(result != 0))), None, bucket)


# -- The application ------------------------------------------------------------------------------


class App:
    """Publishes this process under that name. There is one application in a process: whoever opens it again
    gets the same sensors, with the error EBUSY if the name is another one. It is closed as often as it was
    opened; with the last one publishing ends, and what is counted after that is not seen."""

    def __init__(self, name):
        self.is_open = False
        try:
            process.open(name)
            self.is_open = True
        except FAULTS as fault:
            pass_on(fault, name)
            self.other = Unpublished(getattr(fault, 'errno', None) or errno.EINVAL, f'{fault}')
        else:
            is_other = process.name != name and not process.error
            self.other = Unpublished(errno.EBUSY, f'this process is published as {process.name} already') \
                if is_other else None

    @property
    def error(self):
        return self.other.error if self.other else process.error

    @property
    def reason(self):
        return self.other.reason if self.other else process.reason

    def close(self):
        is_open, self.is_open = self.is_open, False
        if is_open:
            try:
                process.close()
            except FAULTS as fault:
                pass_on(fault)

    def __enter__(self):
        return self

    def __exit__(self, *_fault):
        self.close()

    @staticmethod
    def make(sensor_class, name, instance, unit, purpose=''):
        try:
            return process.make(sensor_class, name, instance, unit, purpose) or \
                sensor_class(Unpublished(errno.EAGAIN, 'the making of another sensor was interrupted'))
        except FAULTS as fault:
            pass_on(fault, name, instance, unit, purpose)
            return sensor_class(Unpublished(getattr(fault, 'errno', None) or errno.EINVAL, f'{fault}'))

    def counter(self, name, instance='', unit=''):
        """A Counter; add(n)."""
        return self.make(Counter, name, instance, unit)

    def gauge(self, name, instance='', unit=''):
        """A Gauge; set(value), add(n)."""
        return self.make(Gauge, name, instance, unit)

    def timer(self, name, instance=''):
        """A Timer; with timer, @timer, record(seconds), stop(start())."""
        return self.make(Timer, name, instance, 's')

    def histogram(self, name, instance='', unit=''):
        """A Histogram; add(value)."""
        return self.make(Histogram, name, instance, unit)

    def top(self, name, instance='', unit=''):
        """A Top; add(key, n)."""
        return self.make(Top, name, instance, unit)

    def step(self, name, instance='', purpose=''):
        """A Step; begin(sequence), and end(result) of what that returns. The purpose is what several steps may
        have in common."""
        return self.make(Step, name, instance, 's', purpose)
