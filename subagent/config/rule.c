#include "config/rule.h"

void config_filter_rule(const struct filter_row *row, struct filter_rule *rule)
{
    *rule = (struct filter_rule){
        .throttle_ms = row->throttle_ms,
        .heartbeat_ms = row->heartbeat_ms,
        .still = row->deadband.text[0] || row->deadband_percent.text[0],
        .deadband = row->deadband.value,
        .deadband_percent = row->deadband_percent.value,
        .gate = row->gate ? row->gate : COMPARE_NONE,
        .gate_limit = row->gate_limit.value,
    };
}

static void add_level(struct threshold_levels *levels, enum severity severity,
                      const struct decimal *limit, const struct decimal *clear)
{
    if (!limit->text[0])
        return;
    levels->severity[levels->n] = severity;
    levels->rule[levels->n] = levels->rule[0];
    levels->rule[levels->n].limit = limit->value;
    levels->rule[levels->n].clear = clear->text[0] ? clear->value : limit->value;
    levels->n++;
}

void config_threshold_levels(const struct threshold_row *row, struct threshold_levels *levels)
{
    *levels = (struct threshold_levels){
        .n = 1,
        .severity = {row->severity},
        .rule = {{
            .op = row->op,
            .limit = row->limit.value,
            .clear = row->clear.text[0] ? row->clear.value : row->limit.value,
            .match = row->match,
            .window = row->window,
            .duration_ms = row->duration_ms,
        }},
    };
    add_level(levels, SEVERITY_WARNING, &row->warning_limit, &row->warning_clear);
    add_level(levels, SEVERITY_CRITICAL, &row->critical_limit, &row->critical_clear);
}

void config_damper_rule(const struct threshold_row *row, struct damper_rule *rule)
{
    *rule = (struct damper_rule){.dampening = row->dampening,
                                 .count = row->dampening_count,
                                 .time_ms = row->dampening_ms,
                                 .flap_count = row->flap_count,
                                 .flap_ms = row->flap_ms};
}

bool config_threshold_is_plain(const struct threshold_row *row)
{
    struct damper_rule damper;
    config_damper_rule(row, &damper);
    return !row->warning_limit.text[0] && !row->critical_limit.text[0] &&
           row->source == INPUT_VALUE && row->absence_ms == 0 && row->hold_off_ms == 0 &&
           !row->disabled_by[0] && !damper_needed(&damper);
}

void config_maintenance(const struct maintenance_row *row, struct maintenance *maintenance)
{
    *maintenance = (struct maintenance){.begin_ms = row->begin_ms,
                                        .end_ms = row->end_ms,
                                        .duration_ms = row->duration_ms,
                                        .days = row->days};
    maintenance_minute(row->time, &maintenance->minute);
}
