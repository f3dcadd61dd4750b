/* The API of Zabbix, JSON-RPC 2.0: requests, and answers read without trust. Pure. */
#ifndef DCAMP_CLI_ZABBIX_API_H
#define DCAMP_CLI_ZABBIX_API_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ZABBIX_ID_SIZE 21

/* A request, malloced and maybe with secrets: to be freed by zabbix_forget. Takes the params, which
 * may be NULL, as all json_t for which there was no memory. auth: a token, or NULL. NULL: no
 * memory. */
char *zabbix_request(const char *method, json_t *params, const char *auth);
void zabbix_forget(char *request);

/* The result of an answer. NULL: error is one line with the reason that Zabbix gives, or what is
 * wrong with the answer. */
json_t *zabbix_result(const char *text, size_t len, char error[512]);

/* Text of an object, "" if there is none. */
const char *zabbix_text(const json_t *object, const char *name);

/* Identifiers are decimal numbers in text. */
bool zabbix_is_id(const char *text);

#endif
