"""The DCAMP-MIB as mibgen prints it in JSON, and the annotations of its notifications."""
import json
import re

# ASN.1 tags, RFC 2578, section 7.
OCTETS, TICKS, COUNTER = 0x04, 0x43, 0x46


class Mib:
    """Objects by name. A name that the MIB does not have is an error, at once."""

    def __init__(self, json_file, text_file):
        with open(json_file, encoding='ascii') as file:
            self.objects = json.load(file)
        with open(text_file, encoding='ascii') as file:
            self.text = file.read()
        self.arc = self.oid('dcampMIB')

    def __getitem__(self, name):
        if name not in self.objects:
            raise SystemExit(f'artefacts: the MIB has no {name}')
        return self.objects[name]

    def oid(self, name):
        return self[name]['oid']

    def instance(self, name):
        """The OID of a scalar."""
        return self.oid(name) + '.0'

    def number(self, name, label):
        """The number of a label of an enumeration."""
        if label not in self[name]['enums']:
            raise SystemExit(f'artefacts: {name} has no {label}')
        return self[name]['enums'][label]

    def labels(self, name):
        """(number, label), ascending."""
        return sorted((number, label) for label, number in self[name]['enums'].items())

    def scalars(self, branch):
        return [name for name, o in self.objects.items()
                if o['parent'] == branch and o['role'] == 'MIB_SCALAR']

    def index(self, entry):
        return self[entry]['objects']

    def entry(self, column):
        return self[column]['parent']

    def notifications(self):
        return [name for name, o in self.objects.items() if o['role'] == 'MIB_NOTIFICATION']

    def varbind(self, notification, name):
        """Its number among the objects, from 1."""
        return self[notification]['objects'].index(name) + 1

    def description(self, name):
        """In one line; without the discontinuities of a counter, which systems see by themselves."""
        return ' '.join(self[name]['description'].split()).split(' Discontinuities:')[0]

    def is_text(self, name):
        return self[name]['syntax'] == OCTETS

    def annotation(self, notification, key):
        """What stands behind --#KEY in a notification, for snmpttconvertmib and for us."""
        found = re.search(rf'^{notification} NOTIFICATION-TYPE(.*?)::=', self.text, re.M | re.S)
        found = found and re.search(rf'--#{key} (.*)', found.group(1))
        if not found:
            raise SystemExit(f'artefacts: {notification} has no --#{key}')
        return found.group(1).strip().strip('"')

    def arguments(self, notification):
        """Numbers of objects, from 1, in the order of the %s of --#SUMMARY."""
        text = self.annotation(notification, 'ARGUMENTS').strip('{}')
        return [int(number) + 1 for number in text.split(',')]
