<?php
/*
 * Made by "make artefacts" from DCAMP-MIB.txt: change tools/artefacts, not this file.
 * Handles the notifications of dCAMP: copy to LibreNMS/Snmptrap/Handlers/ and add the lines of
 * snmptraps.php to config/snmptraps.php.
 */

namespace LibreNMS\Snmptrap\Handlers;

use App\Models\Device;
use LibreNMS\Enum\Severity;
use LibreNMS\Interfaces\SnmptrapHandler;
use LibreNMS\Snmptrap\Trap;

class DcampAlarm implements SnmptrapHandler
{
    private const SEVERITIES = [
        'critical' => Severity::Error,
        'warning' => Severity::Warning,
        'info' => Severity::Info,
        'clear' => Severity::Ok,
    ];

    public function handle(Device $device, Trap $trap)
    {
        $message = $this->text($trap, 'dcampAlarmMessage');
        $rule = $this->text($trap, 'dcampAlarmThreshold');
        $instance = $this->text($trap, 'dcampAlarmInstance');
        // A summary of what the rate limit held back has neither rule nor severity.
        $severity = self::SEVERITIES[$this->text($trap, 'dcampAlarmSeverityText')] ?? Severity::Notice;
        $about = trim("$rule $instance");
        $trap->log('dCAMP: ' . ($about === '' ? '' : "$about: ") . $message, $severity, 'dcamp', $about);
    }

    private function text(Trap $trap, string $object): string
    {
        $oid = $trap->findOid("DCAMP-MIB::$object");

        return $oid == '' ? '' : trim((string) $trap->getOidData($oid), '"');
    }
}
