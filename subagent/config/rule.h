/* Rows in the form that the stages need that work by them. */
#ifndef DCAMP_CONFIG_RULE_H
#define DCAMP_CONFIG_RULE_H

#include "alarm/maintenance.h"
#include "config/row_type.h"
#include "threshold/levels.h"

void config_filter_rule(const struct filter_row *row, struct filter_rule *rule);
void config_threshold_levels(const struct threshold_row *row, struct threshold_levels *levels);
void config_maintenance(const struct maintenance_row *row, struct maintenance *maintenance);
void config_damper_rule(const struct threshold_row *row, struct damper_rule *rule);
/* A plain threshold has one limit, compares the values themselves with it, and needs nothing to be
 * remembered of a series except whether it is raised. */
bool config_threshold_is_plain(const struct threshold_row *row);

#endif
