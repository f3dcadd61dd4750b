#include "cli/zabbix_api.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

char *zabbix_request(const char *method, json_t *params, const char *auth)
{
    if (!params)
        return NULL;
    json_t *request = json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", 1, "method", method,
                                "params", params);
    bool good = request && (!auth || json_object_set_new(request, "auth", json_string(auth)) == 0);
    char *text = good ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    return text;
}

void zabbix_forget(char *request)
{
    if (request)
        explicit_bzero(request, strlen(request));
    free(request);
}

const char *zabbix_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

bool zabbix_is_id(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len < ZABBIX_ID_SIZE && strspn(text, "0123456789") == len;
}

/* {"message": TEXT, "data": TEXT}, both sentences. */
static void read_error(const json_t *of, char error[512])
{
    const char *message = zabbix_text(of, "message"), *data = zabbix_text(of, "data");
    text_format(error, 512, "%s%s%s", message[0] || data[0] ? message : "an error without a reason",
                message[0] && data[0] ? " " : "", data);
    text_clean(error, 512, '?');
}

json_t *zabbix_result(const char *text, size_t len, char error[512])
{
    json_error_t fault;
    json_t *answer = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault), *result;
    const json_t *failed = json_object_get(answer, "error");
    result = json_incref(json_object_get(answer, "result"));
    if (failed) {
        read_error(failed, error);
        json_decref(result);
        result = NULL;
    } else if (!result) {
        text_format(error, 512, "what it answers is not of the API of Zabbix");
    }
    json_decref(answer);
    return result;
}
