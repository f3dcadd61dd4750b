#!/usr/bin/env python3
"""Reads segments by what the comments of libdcamp/segment.h say, octet by octet, and prints what is in
them: a line "STATE APPLICATION DESCRIPTORS", then one for each sensor,

    NAME INSTANCE KIND VALUE...

with the words of its kind, and for timers, histograms and steps the sum of the buckets after them, for
tops the sum of the counts and the key that has most. A file without the magic number is "unfinished".
Exits with 1 if a file is damaged."""
import struct
import sys

MAGIC = b'dCAMPseg'
HEADER, PANEL, HEAD, SHARDS, NUMBERS = 4672, 576, 64, 65, 16384
DESCRIPTORS, WORDS, BUCKETS, ENTRIES, RECORDS = 1, 2, 3, 4, 5
KINDS = {1: ('counter', 'Q', 0), 2: ('gauge', 'd', 0), 3: ('timer', 'QQ', 25), 4: ('histogram', 'QdQ', 50),
         5: ('top', 'QQ', 167), 6: ('step', 'QQQQ', 25)}


class Damaged(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Damaged(what)


def text(octets):
    return octets.rstrip(b'\0').decode()


def panels_of(data):
    """The data of each panel: by kind, shard and number."""
    found, places = {}, set()
    for at in range(HEADER, len(data) - PANEL + 1, PANEL):
        kind, shard, number = struct.unpack_from('<HHI', data, at)
        if kind == 0 or kind > RECORDS:
            continue
        need(shard == 0xffff if kind == DESCRIPTORS else shard < SHARDS, f'shard {shard}')
        need(number < NUMBERS, f'number {number}')
        need((kind == DESCRIPTORS, shard, number) not in places, f'panel {shard} {number} is there twice')
        places.add((kind == DESCRIPTORS, shard, number))
        found[kind, shard, number] = at
    return found


def words(data, panels, form, first):
    """Each word of a sensor, added up over the shards."""
    sums = [0] * len(form)
    for shard in range(SHARDS):
        at = panels.get((WORDS, shard, first // 64))
        if at is None:
            continue
        values = struct.unpack_from('<' + form, data, at + HEAD + first % 64 * 8)
        sums = [total + value for total, value in zip(sums, values)]
    return [total if letter == 'd' else total % 2**64 for total, letter in zip(sums, form)]


def buckets(data, panels, first, count):
    return sum(sum(struct.unpack_from('<128I', data, panels[BUCKETS, shard, number] + HEAD))
               for shard in range(SHARDS) for number in range(first, first + count)
               if (BUCKETS, shard, number) in panels)


def top(data, panels, first, count):
    keys = {}
    for shard in range(SHARDS):
        for number in range(first, first + count):
            at = panels.get((ENTRIES, shard, number))
            if at is None:
                continue
            for i, sequence in enumerate(struct.unpack_from('<6I', data, at + 8)):
                entry, _error, key = struct.unpack_from('<QQ64s', data, at + HEAD + 80 * i)
                if sequence and sequence % 2 == 0:
                    keys[text(key)] = keys.get(text(key), 0) + entry
    best = max(keys, key=lambda key: keys[key], default='-')
    return [sum(keys.values()), best]


def sensor(data, panels, index):
    at = panels.get((DESCRIPTORS, 0xffff, index // 3))
    need(at is not None, f'descriptor {index} is missing')
    name, instance, _unit, _purpose, kind, generation, first_word, n_words, first, n_panels = \
        struct.unpack_from('<32s64s16s32s6I', data, at + HEAD + 168 * (index % 3))
    need(kind in KINDS and generation == 1, f'descriptor {index} has kind {kind}')
    word, form, n = KINDS[kind]
    need(n_words == len(form) and n_panels == n and first_word // 64 == (first_word + n_words - 1) // 64,
         f'descriptor {index}')
    need((WORDS, 0, first_word // 64) in panels, f'descriptor {index} has no words')
    values = words(data, panels, form, first_word)
    if word == 'top':
        values += top(data, panels, first, n)
    elif n:
        values.append(buckets(data, panels, first, n))
    return [text(name), text(instance) or '-', word] + [f'{v:g}' if isinstance(v, float) else str(v) for v in values]


def show(path):
    with open(path, 'rb', buffering=0) as file:
        data = file.read(HEADER)
        if data[:8] != MAGIC:
            print('unfinished')
            return
        data += file.read(2**24)
    major, _minor, header, panel, shards = struct.unpack_from('<HHIII', data, 8)
    need((major, header, panel, shards) == (1, HEADER, PANEL, SHARDS), 'the header')
    descriptors, _panels, state = struct.unpack_from('<III', data, 64)
    need(descriptors <= 1024, f'{descriptors} descriptors')
    panels = panels_of(data)
    print('closed' if state else 'open', text(data[96:128]), descriptors)
    for index in range(descriptors):
        print(*sensor(data, panels, index))


try:
    for argument in sys.argv[1:]:
        show(argument)
except Damaged as damage:
    print(f'{argument}: damaged: {damage}')
    sys.exit(1)
