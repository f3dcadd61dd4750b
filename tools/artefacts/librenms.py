"""LibreNMS: what its discovery by YAML can read, and a handler of notifications."""
from text import banner, words, yaml_text

DISCOVERY = """dCAMP in LibreNMS: merge what is below "sensors" into resources/definitions/os_discovery/linux.yaml.
The values of sensors are not here: their names stand in the index, which LibreNMS does not decode.
See doc/nms.md."""
HANDLER = """Handles the notifications of dCAMP: copy to LibreNMS/Snmptrap/Handlers/ and add the lines of
snmptraps.php to config/snmptraps.php."""

# Nagios' numbers, which LibreNMS calls generic: 0 good, 1 warning, 2 critical, 3 unknown.
CHILD = {'discovering': 3, 'up': 0, 'late': 1, 'down': 2, 'refused': 2, 'wrongKey': 2, 'paused': 3}
SCALARS = ['dcampSelfMemory', 'dcampSelfSeries', 'dcampSelfNotificationsQueued']
SEVERITIES = {'critical': 'Error', 'warning': 'Warning', 'info': 'Info', 'clear': 'Ok'}


# The index of these tables is a text: b has it as numbers, which a number to poll is made of. The
# others are those that LibreNMS has where none are given.
FLAGS = '-OteQUSab'


def scalar(mib, name):
    # A sensor of the class count has no unit.
    unit = mib[name]['units']
    return {'oid': f'DCAMP-MIB::{name}', 'num_oid': f'.{mib.oid(name)}.{{{{ $index }}}}',
            'index': f'{name}.{{{{ $index }}}}', 'group': 'dCAMP',
            'descr': words(name).capitalize() + (f', {unit}' if unit else '')}


def thresholds(mib):
    name = 'dcampThresholdRaised'
    return {'oid': 'DCAMP-MIB::dcampThresholdTable', 'snmp_flags': FLAGS,
            'value': f'DCAMP-MIB::{name}',
            'num_oid': f'.{mib.oid(name)}.{{{{ $index }}}}',
            'index': f'{name}.{{{{ $index }}}}', 'group': 'dCAMP thresholds', 'high_limit': 0,
            'descr': '{{ DCAMP-MIB::dcampThresholdDescription }} '
                     '({{ DCAMP-MIB::dcampThresholdSensor }})'}


def children(mib):
    name = 'dcampChildState'
    return {'oid': 'DCAMP-MIB::dcampChildTable', 'snmp_flags': FLAGS,
            'value': f'DCAMP-MIB::{name}',
            'num_oid': f'.{mib.oid(name)}.{{{{ $index }}}}',
            'index': f'{name}.{{{{ $index }}}}', 'group': 'dCAMP children',
            'descr': 'Child {{ DCAMP-MIB::dcampChildAddress }} ({{ DCAMP-MIB::dcampChildGroup }})',
            'state_name': name,
            'states': [{'descr': label, 'graph': 1, 'value': number, 'generic': CHILD[label]}
                       for number, label in mib.labels(name)]}


def discovery(mib):
    sensors = {'count': {'data': [thresholds(mib)] + [scalar(mib, name) for name in SCALARS]},
               'state': {'data': [children(mib)]}}
    return banner(DISCOVERY) + yaml_text({'modules': {'sensors': sensors}}, indent=4)


CLASS = r"""<?php
/*
%(banner)s */

namespace LibreNMS\Snmptrap\Handlers;

use App\Models\Device;
use LibreNMS\Enum\Severity;
use LibreNMS\Interfaces\SnmptrapHandler;
use LibreNMS\Snmptrap\Trap;

class DcampAlarm implements SnmptrapHandler
{
    private const SEVERITIES = [
%(severities)s    ];

    public function handle(Device $device, Trap $trap)
    {
        $message = $this->text($trap, '%(message)s');
        $rule = $this->text($trap, '%(threshold)s');
        $instance = $this->text($trap, '%(instance)s');
        // A summary of what the rate limit held back has neither rule nor severity.
        $severity = self::SEVERITIES[$this->text($trap, '%(severity)s')] ?? Severity::Notice;
        $about = trim("$rule $instance");
        $trap->log('dCAMP: ' . ($about === '' ? '' : "$about: ") . $message, $severity, 'dcamp', $about);
    }

    private function text(Trap $trap, string $object): string
    {
        $oid = $trap->findOid("DCAMP-MIB::$object");

        return $oid == '' ? '' : trim((string) $trap->getOidData($oid), '"');
    }
}
"""


def handler(mib):
    labels = {label for _, label in mib.labels('dcampAlarmSeverity')}
    if labels != set(SEVERITIES):
        raise SystemExit('artefacts: librenms: other severities in the MIB')
    objects = mib['dcampAlarmRaised']['objects']
    names = {part: next(name for name in objects if name.endswith(end))
             for part, end in (('message', 'Message'), ('threshold', 'Threshold'),
                               ('instance', 'Instance'), ('severity', 'SeverityText'))}
    severities = ''.join(f"        '{label}' => Severity::{name},\n"
                         for label, name in SEVERITIES.items())
    return CLASS % {'banner': banner(HANDLER, ' * '), 'severities': severities, **names}


def registration(mib):
    """Not of what is between nodes, a pushed report: it has no message."""
    lines = ''.join(f"        'DCAMP-MIB::{name}' => \\LibreNMS\\Snmptrap\\Handlers\\DcampAlarm::class,\n"
                    for name in mib.notifications()
                    if 'dcampAlarmMessage' in mib[name]['objects'])
    return ('<?php\n' + banner('Lines for trap_handlers in config/snmptraps.php of LibreNMS.', '// ') +
            'return [\n    \'trap_handlers\' => [\n' + lines + '    ],\n];\n')
