"""Rules of RFC 4181 and of this project that no parser of MIB modules knows: prints each breach.

    mib-rules.py DCAMP-MIB.txt [DAY]

DAY, as 20261231, is when it was changed last.

The module is read by its layout: a macro begins at the left margin and ends with its '::='."""
import re
import sys

TIMES = ('TimeTicks', 'TimeStamp', 'DateAndTime')
WRITABLE = ('read-write', 'read-create')


def without_texts(text):
    """Descriptions may hold anything, even what looks like a macro."""
    return re.sub(r'"[^"]*"', '""', text)


def clause(body, name):
    found = re.search(rf'^ +{name} +(\S.*?)(?=^ +[A-Z][A-Z-]+ |\Z)', body, re.M | re.S)
    return ' '.join(found.group(1).split()) if found else ''


def description(body):
    found = re.search(r'DESCRIPTION\s+"([^"]*)"', body)
    return ' '.join(found.group(1).split()) if found else ''


def entry_of(body):
    """What an object is registered below."""
    return re.search(r'::= { (\w+) \d+ }', body).group(1)


def macros(text, kind):
    """Name and body of each macro of a kind, in the order of the module."""
    pattern = rf'^([A-Za-z]\w*) (?:::= )?{kind}\n(.*?)(?=^[A-Za-z]|\Z)'
    return {m.group(1): m.group(2) for m in re.finditer(pattern, text, re.M | re.S)}


def compliance_faults(text, objects):
    """RFC 4181, 4.8.2: who need not write need not write anything that can be written."""
    body = without_texts(macros(text, 'MODULE-COMPLIANCE')['dcampReadOnlyCompliance'])
    named = {}
    for name, rest in re.findall(r'OBJECT +(\w+)\n(.*?)(?=^ +OBJECT |\Z)', body, re.M | re.S):
        if name in named:
            yield f'{name}: twice in dcampReadOnlyCompliance'
        named[name] = rest
    for name, body in objects.items():
        writable = clause(body, 'MAX-ACCESS') in WRITABLE
        if writable and 'MIN-ACCESS  read-only' not in named.get(name, ''):
            yield f'{name}: can be written and is not in dcampReadOnlyCompliance'
        if name in named and not writable:
            yield f'{name}: is in dcampReadOnlyCompliance and cannot be written'
        if name in named and clause(body, 'SYNTAX') == 'RowStatus' and \
                'SYNTAX      RowStatus { active(1) }' not in named[name]:
            yield f'{name}: dcampReadOnlyCompliance wants more of it than active(1)'


def enumeration_faults(objects):
    """An enumeration has one name, one description and one place: its textual convention."""
    for name, body in objects.items():
        if re.match(r'(INTEGER|BITS) *{', clause(body, 'SYNTAX')):
            yield f'{name}: its enumeration is written out; make it a textual convention'


def counter_faults(objects):
    """RFC 4181, 4.6.1.2: a counter names what tells of its discontinuities. It stands in the same
    row, or is a scalar."""
    for name, body in objects.items():
        if clause(body, 'SYNTAX') not in ('Counter32', 'Counter64'):
            continue
        found = re.search(r'Discontinuities: .*?(dcamp[A-Z]\w+)', description(body))
        indicator = objects.get(found.group(1), '') if found else ''
        if clause(indicator, 'SYNTAX') not in TIMES:
            yield f'{name}: a counter that does not say what tells of its discontinuities'
        elif entry_of(indicator) not in (entry_of(body), 'dcampNode'):
            yield f'{name}: {found.group(1)} is of another table'


def row_faults(objects):
    """RFC 2579, RowStatus and StorageType: what may be written of an active row, and of a permanent
    one, stands in the description."""
    said = {'RowStatus': 'while the row is active', 'StorageType': 'permanent'}
    for name, body in objects.items():
        syntax = clause(body, 'SYNTAX')
        if syntax in said and said[syntax] not in description(body):
            yield f'{name}: does not say what may be written ("{said[syntax]}")'


def module_faults(text, changed):
    """RFC 4181, 4.5: whom to ask, and revisions. changed: the day of the last commit, or None."""
    contact = re.search(r'CONTACT-INFO\s+"([^"]*)"', text).group(1)
    updated = re.search(r'LAST-UPDATED +"(\d{8})', text).group(1)
    if 'README' in contact or len(contact.split()) < 10:
        yield 'CONTACT-INFO: says nobody who can be asked'
    if f'REVISION "{updated}' not in text:
        yield f'LAST-UPDATED: {updated} is no REVISION'
    if changed and updated < changed:
        yield f'LAST-UPDATED: {updated}, and the module was changed on {changed}: add a REVISION'


def faults(text, changed=None):
    objects = macros(text, 'OBJECT-TYPE')
    if len(objects) < 100:
        yield f'only {len(objects)} objects found'
    yield from compliance_faults(text, objects)
    yield from enumeration_faults(objects)
    yield from counter_faults(objects)
    yield from row_faults(objects)
    yield from module_faults(text, changed)


if __name__ == '__main__':
    with open(sys.argv[1], encoding='ascii') as module:
        for fault in faults(module.read(), *sys.argv[2:]):
            print(fault)
