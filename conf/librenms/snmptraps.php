<?php
// Made by "make artefacts" from DCAMP-MIB.txt: change tools/artefacts, not this file.
// Lines for trap_handlers in config/snmptraps.php of LibreNMS.
return [
    'trap_handlers' => [
        'DCAMP-MIB::dcampAlarmRaised' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
        'DCAMP-MIB::dcampAlarmCleared' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
        'DCAMP-MIB::dcampAlarmsSuppressed' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
        'DCAMP-MIB::dcampNodeJoined' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
        'DCAMP-MIB::dcampNodeLost' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
        'DCAMP-MIB::dcampRoleChanged' => \LibreNMS\Snmptrap\Handlers\DcampAlarm::class,
    ],
];
