#!/usr/bin/env python3
"""terms.py [--lease] JOURNAL: whether a tree had the roots that it may have.

JOURNAL has, in the order in which it happened, all lines of the logs of all dcampd -D tree, and

    node PID NAME                       its dcampd
    frozen NAME, thawed NAME            it is stopped by a signal, and goes on after this line
    observed NAME TERM ROOT TERM ROOT   what it says of the orders of its share and of its tree document

What holds always: a term has one root; no node takes an order of a lower term than it has taken; and
in the end all nodes work by orders of the latest root. With --lease, where a lease decides, there is
more: only one root gives orders at a time, one that was stopped gives none when it goes on unless it
has the lease, and once a root gives orders in a term, nobody takes an order of a lower one. What a
root is told itself is no order of a root: somebody who cannot know better pushes documents to it.

Each line of the output is something that does not hold, and the exit status is 1 if there is one.
The terms and their roots are on standard error. --test: whether it complains of journals that are
wrong.
"""
import re
import sys

LEADING = [
    ('root', re.compile(r'this node is the root, in term (\d+)$')),
    ('root', re.compile(r'this root gives orders, in term (\d+)$')),
    ('halted', re.compile(r'this root orders nothing: ')),
    ('no root', re.compile(r'this node is not the root any more: ')),
]
ORDER = re.compile(r'the latest order of a (.*) is of "(.*)", in term (\d+), epoch \d+$')
LINE = re.compile(r'dcampd\[(\d+)\]: \w+ tree: (.*)$')


def read_line(name, text):
    """What a line of a log says of roots and orders; None: nothing."""
    for kind, expression in LEADING:
        match = expression.match(text)
        if match:
            return [kind, name, *map(int, match.groups())]
    match = ORDER.match(text)
    return ['order', name, match[1], match[2], int(match[3])] if match else None


def is_halted_at_once(events, i):
    """It says that it is root, and next that it orders nothing: it never did."""
    following = (event[0] for event in events[i + 1:] if event[1] == events[i][1])
    return next((kind for kind in following if kind != 'observed'), None) == 'halted'


def read_journal(lines):
    """Events: [KIND, NAME, ...]."""
    names = dict(line.split()[1:] for line in lines if line.startswith('node '))
    events = []
    for line in lines:
        match = LINE.match(line)
        if match and match[1] in names:
            event = read_line(names[match[1]], match[2])
        elif line.startswith(('frozen ', 'thawed ', 'observed ')):
            event = line.split(' ')
        else:
            event = None
        if event:
            events.append(event)
    for i, event in enumerate(events):
        if event[0] == 'root' and is_halted_at_once(events, i):
            event[0] = 'idle root'
    return events


class Judge:
    def __init__(self, by_lease):
        self.by_lease = by_lease
        self.complaints = []
        self.roots = {}     # of each term
        self.latest = {}    # of each node and kind of document: term and root
        self.seen = {}      # the same, as observed
        self.ordering = {}  # who gives orders, in which term
        self.stopped = {}   # who did, when it was stopped
        self.suspects = {}  # who did, and went on when there was another root
        self.highest = 0    # term of a root that gave orders, or that a node took one of

    def complain(self, text):
        if text not in self.complaints:
            self.complaints.append(text)

    def know_root(self, term, root):
        if term == 0:
            return
        others = self.roots.setdefault(term, {})
        others[root] = True
        if len(others) > 1:
            self.complain(f'term {term} has the roots {", ".join(sorted(others))}')

    # -- Roots

    def root(self, name, term):
        self.know_root(term, name)
        self.suspects.pop(name, None)
        for other, others in self.ordering.items():
            if self.by_lease and other != name:
                self.complain(f'{name} gives orders in term {term} while {other} does in term {others}')
        if self.by_lease and term < self.highest:
            self.complain(f'{name} gives orders in term {term} after orders of term {self.highest}')
        self.highest = max(self.highest, term)
        self.ordering[name] = term

    def idle_root(self, name, term):
        self.know_root(term, name)
        self.halted(name)

    def halted(self, name):
        self.ordering.pop(name, None)
        self.suspects.pop(name, None)

    def no_root(self, name):
        self.halted(name)

    def frozen(self, name):
        if name in self.ordering:
            self.stopped[name] = self.ordering.pop(name)

    def thawed(self, name):
        term = self.stopped.pop(name, None)
        if term is not None:
            (self.suspects if self.ordering else self.ordering)[name] = term

    # -- Orders

    def compare(self, known, name, kind, term, root, word):
        before = known.get((name, kind), (0, ''))
        if term < before[0]:
            self.complain(f'{name} {word} a {kind} of term {term} after one of term {before[0]}')
        known[name, kind] = (term, root)

    def order(self, name, kind, root, term):
        self.know_root(term, root)
        self.compare(self.latest, name, kind, term, root, 'takes')
        if kind == 'tree document' and name == root:
            return
        if self.by_lease and term < self.highest:
            self.complain(f'{name} takes a {kind} of "{root}" in term {term} after orders of term {self.highest}')
        self.highest = max(self.highest, term)

    def observed(self, name, *said):
        for kind, term, root in zip(('share', 'tree document'), said[::2], said[1::2]):
            self.know_root(int(term), root)
            self.compare(self.seen, name, kind, int(term), root, 'says that it has')

    # -- The end

    def end(self):
        for name, term in self.suspects.items() if self.by_lease else ():
            self.complain(f'{name} never said that it is not the root of term {term} any more')
        last = max(((term, root) for (_, kind), (term, root) in self.latest.items() if kind == 'share'),
                   default=(0, ''))
        for (name, kind), (term, root) in self.latest.items():
            if kind == 'share' and (term, root) != last:
                self.complain(f'{name} works by an order of "{root}" in term {term}, '
                              f'not of "{last[1]}" in term {last[0]}')
        if not self.ordering or not self.latest:
            self.complain('nobody gives orders, or nobody takes any')


def judge(lines, by_lease):
    result = Judge(by_lease)
    for kind, *rest in read_journal(lines):
        getattr(result, kind.replace(' ', '_'))(*rest)
    result.end()
    return result


# -- Its own test --------------------------------------------------------------------------------

GOOD = '''node 1 r1
node 2 r2
node 3 m1
dcampd[1]: info tree: this node is the root, in term 1
dcampd[1]: warning tree: this root orders nothing: it does not have the lease in etcd
dcampd[1]: info tree: this root gives orders, in term 2
dcampd[1]: debug tree: the latest order of a share is of "r1", in term 2, epoch 1
dcampd[2]: debug tree: the latest order of a share is of "r1", in term 2, epoch 1
dcampd[3]: debug tree: the latest order of a share is of "r1", in term 2, epoch 1
observed m1 2 r1 0
frozen r1
dcampd[2]: info tree: this node is the root, in term 3
dcampd[2]: debug tree: the latest order of a share is of "r2", in term 3, epoch 1
thawed r1
dcampd[1]: warning tree: this root orders nothing: it does not have the lease in etcd
dcampd[1]: debug tree: the latest order of a tree document is of "r1", in term 2, epoch 9
dcampd[3]: debug tree: the latest order of a share is of "r2", in term 3, epoch 1
dcampd[1]: warning tree: this node is not the root any more: "r2" is
dcampd[1]: debug tree: the latest order of a share is of "r2", in term 3, epoch 1
'''


def without(start, after=''):
    # The journal without the lines that start so, behind that text.
    before, found, rest = GOOD.partition(after) if after else ('', '', GOOD)
    return before + found + ''.join(line for line in rest.splitlines(True) if not line.startswith(start))


def between(where, *lines):
    # The journal with these lines before that place.
    before, found, rest = GOOD.partition(where)
    return before + ''.join(line + '\n' for line in lines) + found + rest


def order_of(pid, root, term):
    return f'dcampd[{pid}]: debug tree: the latest order of a share is of "{root}", in term {term}, epoch 7'


# What is said of a journal that is wrong, and whether it is without a lease, too.
WRONG = [
    ('term 3 has the roots r1, r2', GOOD.replace('is the root, in term 1', 'is the root, in term 3'), True),
    ('r2 gives orders in term 3 while r1', without('frozen'), False),
    ('r1 never said', without('dcampd[1]: warning', 'thawed'), False),
    ('r1 gives orders in term 2 while r2',
     between('dcampd[1]: warning tree: this node is not', 'dcampd[1]: info tree: this root gives orders, in term 2'),
     False),
    ('m1 takes a share of "r1" in term 2 after', between('thawed', order_of(3, 'r1', 2)), False),
    ('r2 takes a share of term 2 after', between('thawed', order_of(2, 'r1', 2), order_of(2, 'r2', 3)), True),
    ('m1 says that it has a share of term 1', between('frozen', 'observed m1 1 r1 0'), True),
    ('m1 works by an order of "r1"', without('dcampd[3]', 'thawed'), True),
    ('nobody gives orders', without('dcampd'), True),
]


def complaints_of(text, by_lease):
    return judge(text.splitlines(), by_lease).complaints


def test():
    failed = [f'a good journal: {complaint}' for by_lease in (False, True)
              for complaint in complaints_of(GOOD, by_lease)]
    for expected, journal, always in WRONG:
        for by_lease in (False, True):
            said = complaints_of(journal, by_lease)
            if any(expected in complaint for complaint in said) != (by_lease or always):
                failed.append(f'{expected}: {said}')
    for line in failed:
        print(line)
    return 1 if failed else 0


def main(arguments):
    if arguments == ['--test']:
        return test()
    with open(arguments[-1], encoding='utf-8', errors='replace') as journal:
        result = judge(journal.read().splitlines(), '--lease' in arguments)
    for complaint in result.complaints:
        print(complaint)
    print('; '.join(f'{term} {"+".join(sorted(roots))}' for term, roots in sorted(result.roots.items())),
          file=sys.stderr)
    return 1 if result.complaints else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
