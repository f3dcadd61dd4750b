#include "cli/top_subject.h"

#include <string.h>

#define OBJECT(name)                                                                               \
    {                                                                                              \
        MIB_##name, 0                                                                              \
    }
#define INDEX(part)                                                                                \
    {                                                                                              \
        MIB_OBJECTS, part                                                                          \
    }
#define NOWHERE                                                                                    \
    {                                                                                              \
        MIB_OBJECTS, 0                                                                             \
    }
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* -- Nodes ----------------------------------------------------------------------------------- */

static const struct top_field node_fields[] = {{"name", "NODE", TOP_TEXT, false},
                                               {"state", "STATE", TOP_LABEL, true},
                                               {"critical", "CRIT", TOP_NUMBER, true},
                                               {"warning", "WARN", TOP_NUMBER, true},
                                               {"info", "INFO", TOP_NUMBER, true},
                                               {"lastContact", "LAST ANSWER", TOP_TIME, false},
                                               {"roundTrip", "ROUND TRIP", TOP_MICROS, true},
                                               {"missed", "MISSED", TOP_NUMBER, true},
                                               {"series", "SERIES", TOP_NUMBER, true},
                                               {"group", "GROUP", TOP_TEXT, false},
                                               {"address", "ADDRESS", TOP_TEXT, false},
                                               {"error", "ERROR", TOP_TEXT, false}};
static const enum top_when node_when[] = {TOP_ONCE, TOP_EACH, TOP_SEEN, TOP_SEEN,
                                          TOP_SEEN, TOP_SEEN, TOP_SEEN, TOP_SEEN,
                                          TOP_SEEN, TOP_ONCE, TOP_ONCE, TOP_SEEN};
static const struct top_place node_places[] = {INDEX(1),
                                               OBJECT(dcampChildState),
                                               OBJECT(dcampChildAlarmsCritical),
                                               OBJECT(dcampChildAlarmsWarning),
                                               OBJECT(dcampChildAlarmsInfo),
                                               OBJECT(dcampChildLastContact),
                                               OBJECT(dcampChildRoundTrip),
                                               OBJECT(dcampChildMissed),
                                               OBJECT(dcampChildSeries),
                                               OBJECT(dcampChildGroup),
                                               OBJECT(dcampChildAddress),
                                               OBJECT(dcampChildError)};
_Static_assert(COUNT(node_fields) == COUNT(node_places) && COUNT(node_fields) == COUNT(node_when),
               "a place for each field");

static const struct top_field tree_fields[] = {{"name", "NODE", TOP_TEXT, false},
                                               {"state", "STATE", TOP_LABEL, true},
                                               {"role", "ROLE", TOP_LABEL, true},
                                               {"parent", "PARENT", TOP_TEXT, false},
                                               {"group", "GROUP", TOP_TEXT, false},
                                               {"age", "LAST ANSWER", TOP_SPAN, true},
                                               {"deviations", "DEVIATIONS", TOP_NUMBER, true},
                                               {"version", "VERSION", TOP_TEXT, false},
                                               {"address", "ADDRESS", TOP_TEXT, false},
                                               {"error", "ERROR", TOP_TEXT, false}};
static const enum top_when tree_when[] = {TOP_ONCE, TOP_EACH, TOP_SEEN, TOP_SEEN, TOP_SEEN,
                                          TOP_SEEN, TOP_SEEN, TOP_SEEN, TOP_ONCE, TOP_SEEN};
static const struct top_place tree_places[] = {INDEX(1),
                                               OBJECT(dcampTreeState),
                                               OBJECT(dcampTreeRole),
                                               OBJECT(dcampTreeParent),
                                               OBJECT(dcampTreeGroup),
                                               OBJECT(dcampTreeAge),
                                               OBJECT(dcampTreeNodeDeviations),
                                               OBJECT(dcampTreeVersion),
                                               OBJECT(dcampTreeAddress),
                                               OBJECT(dcampTreeError)};
_Static_assert(COUNT(tree_fields) == COUNT(tree_places) && COUNT(tree_fields) == COUNT(tree_when),
               "a place for each field");

/* -- Values ---------------------------------------------------------------------------------- */

static const struct top_field aggregate_fields[] = {
    {"aggregate", "AGGREGATE", TOP_TEXT, false}, {"instance", "INSTANCE", TOP_TEXT, false},
    {"value", "VALUE", TOP_DECIMAL, true},       {"unit", "UNIT", TOP_TEXT, false},
    {"state", "STATE", TOP_LABEL, true},         {"expected", "NODES", TOP_NUMBER, true},
    {"missing", "MISSING", TOP_NUMBER, true},    {"age", "AGE", TOP_SPAN, true}};
static const enum top_when aggregate_when[] = {TOP_ONCE, TOP_ONCE, TOP_SEEN, TOP_ONCE,
                                               TOP_EACH, TOP_SEEN, TOP_SEEN, TOP_SEEN};
static const struct top_place aggregate_places[] = {INDEX(1),
                                                    INDEX(2),
                                                    OBJECT(dcampAggregateValueText),
                                                    OBJECT(dcampAggregateValueUnit),
                                                    OBJECT(dcampAggregateValueState),
                                                    OBJECT(dcampAggregateValueExpected),
                                                    OBJECT(dcampAggregateValueMissing),
                                                    OBJECT(dcampAggregateValueAge)};
_Static_assert(COUNT(aggregate_fields) == COUNT(aggregate_places) &&
                   COUNT(aggregate_fields) == COUNT(aggregate_when),
               "a place for each field");

static const struct top_field value_fields[] = {
    {"sensor", "SENSOR", TOP_TEXT, false}, {"instance", "INSTANCE", TOP_TEXT, false},
    {"value", "VALUE", TOP_DECIMAL, true}, {"unit", "UNIT", TOP_TEXT, false},
    {"state", "STATE", TOP_LABEL, true},   {"age", "AGE", TOP_SPAN, true}};
static const enum top_when value_when[] = {TOP_ONCE, TOP_ONCE, TOP_SEEN,
                                           TOP_ONCE, TOP_EACH, TOP_SEEN};
static const struct top_place value_places[] = {INDEX(1),
                                                INDEX(2),
                                                OBJECT(dcampValueText),
                                                OBJECT(dcampValueUnit),
                                                OBJECT(dcampValueState),
                                                OBJECT(dcampValueAge)};
static const struct top_place child_places[] = {INDEX(2),
                                                INDEX(3),
                                                OBJECT(dcampChildValueText),
                                                OBJECT(dcampChildValueUnit),
                                                OBJECT(dcampChildValueState),
                                                OBJECT(dcampChildValueAge)};
_Static_assert(COUNT(value_fields) == COUNT(value_places) &&
                   COUNT(value_fields) == COUNT(child_places) &&
                   COUNT(value_fields) == COUNT(value_when),
               "a place for each field");

/* -- Processes and applications -------------------------------------------------------------- */

static const struct top_field process_fields[] = {
    [TOP_PROCESS_PID] = {"pid", "PID", TOP_NUMBER, false},
    [TOP_PROCESS_OWNER] = {"user", "USER", TOP_TEXT, false},
    [TOP_PROCESS_CPU] = {"cpu", "CPU %", TOP_MILLI, true},
    [TOP_PROCESS_MEMORY] = {"memory", "MEMORY", TOP_KB, true},
    [TOP_PROCESS_TIME] = {"cpuTime", "CPU TIME", TOP_SPAN, true},
    [TOP_PROCESS_THREADS] = {"threads", "THREADS", TOP_NUMBER, true},
    [TOP_PROCESS_NAME] = {"name", "PROCESS", TOP_TEXT, false}};
static const enum top_when process_when[TOP_PROCESS_FIELDS] = {TOP_EACH};

static const struct top_field application_fields[] = {
    {"user", "USER", TOP_TEXT, false},
    {"application", "APPLICATION", TOP_TEXT, false},
    {"processes", "PROCESSES", TOP_NUMBER, true},
    {"ended", "ENDED", TOP_NUMBER, true},
    {"sensors", "SENSORS", TOP_NUMBER, true},
    {"lost", "LOST", TOP_NUMBER, true},
    {"refused", "REFUSED", TOP_NUMBER, true},
    {"error", "ERROR", TOP_TEXT, false}};
static const enum top_when application_when[] = {TOP_ONCE, TOP_ONCE, TOP_EACH, TOP_SEEN,
                                                 TOP_SEEN, TOP_SEEN, TOP_SEEN, TOP_SEEN};
static const struct top_place application_places[] = {INDEX(1),
                                                      INDEX(2),
                                                      OBJECT(dcampApplicationProcesses),
                                                      OBJECT(dcampApplicationEnded),
                                                      OBJECT(dcampApplicationSensors),
                                                      OBJECT(dcampApplicationLost),
                                                      OBJECT(dcampApplicationRefused),
                                                      OBJECT(dcampApplicationError)};
_Static_assert(COUNT(application_fields) == COUNT(application_places) &&
                   COUNT(application_fields) == COUNT(application_when),
               "a place for each field");

/* -- Alarms: of the node, and of those below it ----------------------------------------------- */

static const struct top_field alarm_fields[] = {
    [TOP_ALARM_SEVERITY] = {"severity", "SEVERITY", TOP_LABEL, true},
    {"since", "SINCE", TOP_TIME, true},
    {"node", "NODE", TOP_TEXT, false},
    {"threshold", "THRESHOLD", TOP_TEXT, false},
    {"instance", "INSTANCE", TOP_TEXT, false},
    {"value", "VALUE", TOP_DECIMAL, true},
    {"limit", "LIMIT", TOP_TEXT, false},
    {"acknowledged", "ACKNOWLEDGED", TOP_TEXT, false},
    {"message", "MESSAGE", TOP_TEXT, false},
    [TOP_ALARM_INDEX] = {"index", "INDEX", TOP_NUMBER, false},
    [TOP_ALARM_KEY] = {"key", "KEY", TOP_TEXT, false},
    [TOP_ALARM_PATH] = {"path", "BELOW", TOP_TEXT, false}};
static const enum top_when alarm_when[] = {TOP_EACH, TOP_ONCE, TOP_ONCE, TOP_ONCE,
                                           TOP_ONCE, TOP_SEEN, TOP_SEEN, TOP_SEEN,
                                           TOP_SEEN, TOP_ONCE, TOP_ONCE, TOP_ONCE};
static const struct top_place alarm_places[] = {
    OBJECT(dcampAlarmSeverity),      OBJECT(dcampAlarmSince),
    OBJECT(dcampAlarmNode),          OBJECT(dcampAlarmThreshold),
    OBJECT(dcampAlarmInstance),      OBJECT(dcampAlarmValueText),
    OBJECT(dcampAlarmThresholdText), OBJECT(dcampAlarmAcknowledge),
    OBJECT(dcampAlarmMessage),       INDEX(1),
    OBJECT(dcampAlarmKey),           NOWHERE};
static const struct top_place below_places[] = {
    OBJECT(dcampChildAlarmSeverity),      OBJECT(dcampChildAlarmSince),
    OBJECT(dcampChildAlarmNode),          OBJECT(dcampChildAlarmThreshold),
    OBJECT(dcampChildAlarmInstance),      OBJECT(dcampChildAlarmValueText),
    OBJECT(dcampChildAlarmThresholdText), OBJECT(dcampChildAlarmAcknowledged),
    OBJECT(dcampChildAlarmMessage),       OBJECT(dcampChildAlarmIndex),
    OBJECT(dcampChildAlarmKey),           OBJECT(dcampChildAlarmPath)};
_Static_assert(COUNT(alarm_fields) == COUNT(alarm_places) &&
                   COUNT(alarm_fields) == COUNT(below_places) &&
                   COUNT(alarm_fields) == COUNT(alarm_when),
               "a place for each field");
_Static_assert(COUNT(alarm_fields) <= TOP_FIELDS_MAX && COUNT(node_fields) <= TOP_FIELDS_MAX,
               "room for a row of each");

/* -- All of them ----------------------------------------------------------------------------- */

const struct top_subject top_subjects[TOP_SUBJECTS] = {
    [TOP_NODES] = {"nodes",
                   node_fields,
                   node_when,
                   COUNT(node_fields),
                   TOP_NODE_NAME,
                   {{"t", 1, node_places}},
                   "this node has no children: it is no collector"},
    [TOP_TREE] = {"nodes",
                  tree_fields,
                  tree_when,
                  COUNT(tree_fields),
                  TOP_NODE_NAME,
                  {{"t", 1, tree_places}},
                  "there is no node in the tree yet"},
    [TOP_AGGREGATES] = {"aggregates",
                        aggregate_fields,
                        aggregate_when,
                        COUNT(aggregate_fields),
                        0,
                        {{"tt", 4, aggregate_places}},
                        "there are no aggregates with values: only a collector has any"},
    [TOP_PROCESSES] = {"processes",
                       process_fields,
                       process_when,
                       COUNT(process_fields),
                       TOP_PROCESS_CPU,
                       {{NULL, 0, NULL}},
                       "the node is looking at its processes"},
    [TOP_APPLICATIONS] = {"applications",
                          application_fields,
                          application_when,
                          COUNT(application_fields),
                          1,
                          {{"tt", 2, application_places}},
                          "no program publishes anything here"},
    [TOP_ALARMS] = {"alarms",
                    alarm_fields,
                    alarm_when,
                    COUNT(alarm_fields),
                    TOP_ALARM_SEVERITY,
                    {{"n", TOP_ALARM_SEVERITY, alarm_places},
                     {"tn", TOP_ALARM_SEVERITY, below_places}},
                    "there are no active alarms"},
    [TOP_VALUES] = {"values",
                    value_fields,
                    value_when,
                    COUNT(value_fields),
                    0,
                    {{"tt", 4, value_places}},
                    "this node has no sensors with values"},
    [TOP_CHILD] = {"values",
                   value_fields,
                   value_when,
                   COUNT(value_fields),
                   0,
                   {{"ttt", 4, child_places}},
                   "its values are not here: it may be further below, or be silent"},
};

bool top_subject_find(const char *word, enum top_subject_id *id)
{
    for (unsigned i = 0; i < TOP_SCREENS; i++)
        if (strcmp(word, top_subjects[i].name) == 0) {
            *id = (enum top_subject_id)i;
            return true;
        }
    return false;
}
