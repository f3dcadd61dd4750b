#include "cli/answer.h"

#include <string.h>

static bool is_below(const netsnmp_variable_list *var, const struct cell *start)
{
    if (var->name_length <= start->len)
        return false;
    for (size_t i = 0; i < start->len; i++)
        if (var->name[i] != start->oid[i])
            return false;
    return true;
}

static bool is_same_cell(const netsnmp_variable_list *var, const struct cell *cell)
{
    for (size_t i = 0; i < cell->len && i < var->name_length; i++)
        if (var->name[i] != cell->oid[i])
            return false;
    return var->name_length == cell->len;
}

static bool is_behind_cell(const netsnmp_variable_list *var, const struct cell *cell)
{
    for (size_t i = 0; i < cell->len && i < var->name_length; i++)
        if (var->name[i] != cell->oid[i])
            return var->name[i] > cell->oid[i];
    return var->name_length > cell->len;
}

static bool take_name(struct cell *cell, const netsnmp_variable_list *var)
{
    if (var->name_length > OID_MAX)
        return false;
    cell->len = var->name_length;
    for (size_t i = 0; i < cell->len; i++) {
        if (var->name[i] > UINT32_MAX)
            return false;
        cell->oid[i] = (uint32_t)var->name[i];
    }
    return true;
}

static void take_text(struct cell *cell, const netsnmp_variable_list *var)
{
    size_t most = cell->room ? cell->room_size : sizeof cell->text - 1;
    if (!var->val.string || var->val_len > most)
        return;
    memcpy(cell->room ? cell->room : cell->text, var->val.string, var->val_len);
    if (!cell->room)
        cell->text[var->val_len] = '\0';
    cell->text_len = var->val_len;
    cell->kind = CELL_TEXT;
}

static void take_value(struct cell *cell, const netsnmp_variable_list *var)
{
    cell->kind = CELL_MISSING;
    if (var->type != (u_char)mib_objects[cell->object].syntax)
        return;
    switch (var->type) {
    case ASN_OCTET_STR:
        take_text(cell, var);
        break;
    case ASN_INTEGER:
    case ASN_UNSIGNED:
    case ASN_TIMETICKS:
    case ASN_COUNTER:
        cell->number = *var->val.integer;
        cell->kind = CELL_NUMBER;
        break;
    case ASN_COUNTER64:
        cell->number = (int64_t)((uint64_t)(var->val.counter64->high & INT32_MAX) << 32 |
                                 (uint32_t)var->val.counter64->low);
        cell->kind = CELL_NUMBER;
        break;
    }
}

static bool is_exception(const netsnmp_variable_list *var)
{
    return var->type == SNMP_NOSUCHOBJECT || var->type == SNMP_NOSUCHINSTANCE ||
           var->type == SNMP_ENDOFMIBVIEW;
}

bool answer_get(const netsnmp_pdu *pdu, struct cell *cells, size_t n)
{
    const netsnmp_variable_list *var = pdu->variables;
    for (size_t i = 0; i < n; i++, var = var->next_variable) {
        if (!var || !is_same_cell(var, &cells[i]))
            return false;
        take_value(&cells[i], var);
    }
    return var == NULL;
}

bool answer_next(const netsnmp_pdu *pdu, struct cell *cells, size_t n)
{
    const netsnmp_variable_list *var = pdu->variables;
    for (size_t i = 0; i < n; i++, var = var->next_variable) {
        if (!var)
            return false;
        cells[i].kind = CELL_MISSING;
        if (is_exception(var) || !is_below(var, &cells[i]))
            continue;
        if (!take_name(&cells[i], var))
            return false;
        take_value(&cells[i], var);
    }
    return var == NULL;
}

/* The rows end at the first one that is not below the start. Names that do not ascend are refused,
 * because the walk would go on for ever. */
bool answer_bulk(const netsnmp_pdu *pdu, const struct cell *below, const struct cell *last,
                 struct cell *rows, size_t most, struct answer_rows *answer)
{
    *answer = (struct answer_rows){0};
    for (const netsnmp_variable_list *var = pdu->variables; var; var = var->next_variable) {
        answer->at_end = is_exception(var) || !is_below(var, below);
        if (answer->at_end)
            return true;
        if (answer->n == most || (last && !is_behind_cell(var, last)))
            return false;
        struct cell *row = &rows[answer->n];
        row->object = below->object;
        if (!take_name(row, var))
            return false;
        take_value(row, var);
        last = row;
        answer->n++;
    }
    return answer->n > 0; /* with neither a row nor an end, nobody knows whether there are rows */
}
