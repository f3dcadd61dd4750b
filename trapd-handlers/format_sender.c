/* Requests and answers of the zabbix_sender protocol. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trapd-handlers/format.h"
#include "trapd-handlers/template.h"
#include "trapd-handlers/zabbix_sender.h"

#define RESPONSE_MAX (64 << 10)

static void put_word(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(word >> 8 * i);
}

void zabbix_header(unsigned char header[ZABBIX_HEADER_SIZE], uint32_t len)
{
    memcpy(header, "ZBXD\1", 5);
    put_word(header + 5, len);
    put_word(header + 9, 0);
}

bool zabbix_header_read(const unsigned char header[ZABBIX_HEADER_SIZE], uint32_t *len)
{
    *len = 0;
    for (int i = 3; i >= 0; i--)
        *len = *len << 8 | header[5 + i];
    return memcmp(header, "ZBXD\1", 5) == 0 && *len <= RESPONSE_MAX &&
           memcmp(header + 9, "\0\0\0\0", 4) == 0;
}

static json_t *value_of(const struct trap *trap, const char *host, const char *item)
{
    struct buffer name = {0}, value = {0};
    json_t *json = NULL;
    template_write(&name, host, trap, "");
    format_zabbix_value(&value, trap);
    if (!name.failed && !value.failed)
        json = json_pack("{s:s, s:s, s:s, s:I, s:i}", "host", name.at ? name.at : "", "key", item,
                         "value", value.at, "clock", (json_int_t)(trap->received_ms / 1000), "ns",
                         (int)(trap->received_ms % 1000) * 1000000);
    buffer_release(&name);
    buffer_release(&value);
    return json;
}

void zabbix_request(struct buffer *buffer, const struct trap *traps, size_t n, const char *host,
                    const char *item)
{
    json_t *data = json_array();
    bool good = data != NULL;
    for (size_t i = 0; good && i < n; i++)
        good = json_array_append_new(data, value_of(&traps[i], host, item)) == 0;
    json_t *request = good ? json_pack("{s:s, s:O}", "request", "sender data", "data", data) : NULL;
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    if (text)
        buffer_text(buffer, text);
    else
        buffer->failed = true;
    free(text);
    json_decref(request);
    json_decref(data);
}

bool zabbix_response(const char *body, size_t len, unsigned *processed, unsigned *failed)
{
    json_error_t error;
    json_t *json = json_loadb(body, len, 0, &error);
    const char *response = json_string_value(json_object_get(json, "response"));
    const char *info = json_string_value(json_object_get(json, "info"));
    bool good = response && strcmp(response, "success") == 0 && info &&
                sscanf(info, "processed: %u; failed: %u;", processed, failed) == 2;
    json_decref(json);
    return good;
}
