#include "config/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <libxml/parser.h>
#include <libxml/SAX2.h>

#include "config/config.h"

/* Valid documents are at most 3 levels deep. */
#define DEPTH_MAX 16

void xml_open(struct xml_file *file, const char *name, char *error)
{
    *file = (struct xml_file){.name = name, .manual = "dcamp.xml(5)", .error = error};
    error[0] = '\0';
}

void xml_close(struct xml_file *file)
{
    xmlFreeDoc(file->doc);
    file->doc = NULL;
    /* A tree is many times as large as its text, and consists of small pieces: the heap keeps them
     * unless it is told to give them back. */
    malloc_trim(0);
}

static void make_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

bool xml_fail(struct xml_file *file, int code, long line, const char *format, ...)
{
    if (file->code)
        return false;
    file->code = code;
    char place[32] = "";
    if (line > 0)
        snprintf(place, sizeof place, ":%ld", line);
    int n = snprintf(file->error, CONFIG_ERROR_SIZE, "%.500s%s: ", file->name, place);
    va_list args;
    va_start(args, format);
    vsnprintf(file->error + n, (size_t)(CONFIG_ERROR_SIZE - n), format, args);
    va_end(args);
    make_one_line(file->error);
    return false;
}

void xml_fail_message(struct xml_file *file, int code, long line, const char *prefix,
                      const char *message)
{
    size_t len = strlen(message);
    while (len > 0 && strchr("\n .", message[len - 1]))
        len--;
    xml_fail(file, code, line, "%s%.*s", prefix, (int)(len < 400 ? len : 400), message);
}

static size_t read_all(int fd, char *bytes, size_t room)
{
    size_t len = 0;
    while (len < room) {
        ssize_t n = read(fd, bytes + len, room - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return SIZE_MAX;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return len;
}

/* There is room for one octet more than the file has, which shows whether the file has grown
 * meanwhile. */
static char *read_regular(struct xml_file *file, int fd, size_t limit, size_t *len)
{
    struct stat status;
    if (fstat(fd, &status) < 0) {
        xml_fail(file, errno, 0, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        const char *what = S_ISDIR(status.st_mode) ? "is a directory" : "is a device or pipe";
        xml_fail(file, EINVAL, 0, "%s; it must be an ordinary file", what);
        return NULL;
    }
    size_t room = status.st_size < (off_t)limit ? (size_t)status.st_size + 1 : limit + 1;
    char *bytes = malloc(room);
    *len = bytes ? read_all(fd, bytes, room) : SIZE_MAX;
    if (*len == SIZE_MAX)
        xml_fail(file, bytes ? errno : ENOMEM, 0, "cannot be read: %s",
                 strerror(bytes ? errno : ENOMEM));
    else if (*len > limit)
        xml_fail(file, EBADMSG, 0, "is too large; the most that is read is %zu MiB", limit >> 20);
    if (file->code) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

char *xml_read(struct xml_file *file, size_t limit, size_t *len)
{
    /* Without O_NONBLOCK, opening a pipe that nobody writes to would hang. */
    int fd = open(file->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        xml_fail(file, errno, 0, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    char *bytes = read_regular(file, fd, limit, len);
    close(fd);
    return bytes;
}

/* libxml2 guesses encodings, and a wrong guess would be worse than an error. */
static bool check_text(struct xml_file *file, const char *bytes, size_t len)
{
    long line = 1;
    bool blank = true;
    for (size_t i = 0; i < len;) {
        int octets = (int)(len - i < 4 ? len - i : 4);
        const unsigned char *at = (const unsigned char *)bytes + i;
        if (*at == '\0')
            return xml_fail(file, EBADMSG, line, "a NUL octet; this must be an XML text file");
        if (*at >= 0x80 && xmlGetUTF8Char(at, &octets) < 0)
            return xml_fail(file, EBADMSG, line, "octet 0x%02x is not UTF-8; save it in UTF-8",
                            *at);
        i += *at < 0x80 ? 1 : (size_t)octets;
        line += *at == '\n';
        blank &= *at == '\n' || *at == '\r' || *at == '\t' || *at == ' ';
    }
    return !blank || xml_fail(file, EBADMSG, 1, "the file is empty; it must be an XML text file");
}

static struct xml_file *file_of(void *context)
{
    return ((xmlParserCtxtPtr)context)->_private;
}

static void on_error(void *context, xmlErrorPtr error)
{
    struct xml_file *file = file_of(context);
    if (error->level < XML_ERR_ERROR)
        return;
    if (error->code == XML_ERR_NO_MEMORY)
        xml_fail(file, ENOMEM, 0, "out of memory");
    else
        xml_fail_message(file, EBADMSG, error->line, "not well-formed XML: ", error->message);
}

/* Entities come from a DTD, and with them everything that expands or is fetched. */
static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    xml_fail(file_of(context), EBADMSG, xmlSAX2GetLineNumber(context),
             "a DOCTYPE; remove it, document types and entities are not used here");
    xmlStopParser(context);
}

/* The line of a place in the tag that the parser has just read. */
static long line_at(xmlParserInputPtr input, const xmlChar *place)
{
    long line = input->line;
    for (const xmlChar *at = place; at < input->cur; at++)
        line -= *at == '\n';
    return line;
}

static const xmlChar *tag_start(xmlParserInputPtr input)
{
    /* A tag does not contain a second '<': XML 1.0, section 3.1. */
    const xmlChar *at = input->cur;
    while (at > input->base && *at != '<')
        at--;
    return at;
}

/* libxml2 gives an element the line where its tag ends, and an attribute none at all. Tags may be
 * long, so their lines are kept in the places that libxml2 leaves to applications. */
static void keep_lines(xmlParserCtxtPtr parser, int n, const xmlChar **attributes)
{
    xmlParserInputPtr input = parser->input;
    long line = line_at(input, tag_start(input));
    parser->node->_private = (void *)(intptr_t)line;
    xmlAttrPtr attribute = parser->node->properties;
    for (int i = 0; i < n && attribute; i++, attribute = attribute->next) {
        const xmlChar *value = attributes[i * 5 + 3];
        bool in_text = value >= input->base && value < input->cur;
        attribute->_private = (void *)(intptr_t)(in_text ? line_at(input, value) : line);
    }
}

static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *uri, int n_namespaces, const xmlChar **namespaces,
                       int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    xmlParserCtxtPtr parser = context;
    struct xml_file *file = file_of(context);
    long line = line_at(parser->input, tag_start(parser->input));
    bool namespaced = prefix || uri || n_namespaces > 0;
    for (int i = 0; i < n_attributes; i++)
        namespaced |= attributes[i * 5 + 1] != NULL;
    if (namespaced || parser->nodeNr >= DEPTH_MAX) {
        /* One of the attributes may be xsi:schemaLocation, which would make libxml2 fetch a schema.
         */
        xml_fail(file, EBADMSG, line, "%.64s: %s", name,
                 namespaced ? "prefixes and xmlns; remove them, namespaces are not used here"
                            : "elements are nested too deeply");
        xmlStopParser(parser);
        return;
    }
    const xmlNode *before = parser->node;
    xmlSAX2StartElementNs(context, name, prefix, uri, n_namespaces, namespaces, n_attributes,
                          n_defaulted, attributes);
    if (parser->node && parser->node != before)
        keep_lines(parser, n_attributes, attributes);
}

static bool check_encoding(struct xml_file *file)
{
    static const char *const good[] = {"UTF-8", "UTF8", "US-ASCII", "ASCII"};
    const char *encoding = (const char *)file->doc->encoding;
    if (!encoding)
        return true;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (strcasecmp(encoding, good[i]) == 0)
            return true;
    char quoted[XML_QUOTE_SIZE];
    return xml_fail(file, EBADMSG, 1, "encoding=%s; it must be encoding=\"UTF-8\"",
                    xml_quote(quoted, encoding));
}

/* Whether the version is a number greater than ours, and not some other text. */
static bool is_newer(const char *version)
{
    size_t digits = strspn(version, "0123456789");
    return version[0] != '0' && version[digits] == '\0' && strcmp(version, "1") > 0;
}

static bool check_root(struct xml_file *file, const char *root)
{
    xmlNodePtr element = xmlDocGetRootElement(file->doc);
    if (!element || strcmp((const char *)element->name, root) != 0)
        return xml_fail(file, EBADMSG, element ? xml_line(element) : 1,
                        "the root element is %.64s; it must be <%s version=\"1\">",
                        element ? (const char *)element->name : "missing", root);
    xmlAttrPtr version = xmlHasProp(element, (const xmlChar *)"version");
    if (!version)
        return xml_fail(file, EBADMSG, xml_line(element),
                        "%s: version is missing; it must be <%s version=\"1\">", root, root);
    char *value = xml_value(version), quoted[XML_QUOTE_SIZE];
    if (!value)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    bool right = strcmp(value, "1") == 0;
    if (!right)
        xml_fail(file, is_newer(value) ? ENOTSUP : EBADMSG, xml_attribute_line(version),
                 "%s: version=%s is not supported; it must be version=\"1\"", root,
                 xml_quote(quoted, value));
    free(value);
    return right;
}

static bool parse_checked(struct xml_file *file, xmlParserCtxtPtr parser, const char *bytes,
                          size_t len)
{
    parser->_private = file;
    parser->sax->startElementNs = on_element;
    parser->sax->internalSubset = on_doctype;
    parser->sax->serror = on_error;
    /* XML_PARSE_HUGE: a state file may be larger than libxml2's own limits of 10 MB. Our limits
     * hold instead: size and depth, and no entities. */
    file->doc = xmlCtxtReadMemory(parser, bytes, (int)len, file->name, NULL,
                                  XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_HUGE);
    if (!file->doc && !file->code)
        xml_fail(file, ENOMEM, 0, "out of memory");
    return !file->code;
}

bool xml_parse(struct xml_file *file, const char *bytes, size_t len, const char *root)
{
    if (len > INT_MAX)
        return xml_fail(file, EBADMSG, 0, "is too large");
    if (!check_text(file, bytes, len))
        return false;
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser)
        return xml_fail(file, ENOMEM, 0, "out of memory");
    bool parsed = parse_checked(file, parser, bytes, len);
    xmlFreeParserCtxt(parser);
    return parsed && check_encoding(file) && check_root(file, root);
}

long xml_line(const xmlNode *node)
{
    if (node->type == XML_ATTRIBUTE_NODE)
        return xml_attribute_line((const xmlAttr *)node);
    return node->_private ? (long)(intptr_t)node->_private : xmlGetLineNo(node);
}

long xml_attribute_line(const xmlAttr *attribute)
{
    return attribute->_private ? (long)(intptr_t)attribute->_private : xml_line(attribute->parent);
}

char *xml_value(const xmlAttr *attribute)
{
    if (!attribute->children)
        return strdup("");
    return (char *)xmlNodeListGetString(attribute->doc, attribute->children, 1);
}

const char *xml_quote(char quoted[XML_QUOTE_SIZE], const char *text)
{
    const size_t most = XML_QUOTE_SIZE - sizeof "\"...\"";
    size_t len = strlen(text);
    const char *dots = len > most ? "..." : "";
    if (len > most)
        for (len = most; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
            len--; /* so that no character of UTF-8 is cut */
    snprintf(quoted, XML_QUOTE_SIZE, "\"%.*s%s\"", (int)len, text, dots);
    return quoted;
}

const char *xml_place(char place[XML_QUOTE_SIZE * 2], const xmlNode *element)
{
    char quoted[XML_QUOTE_SIZE];
    xmlAttrPtr name = xmlHasProp(element, (const xmlChar *)"name");
    char *text = name ? xml_value(name) : NULL;
    snprintf(place, XML_QUOTE_SIZE * 2, "%.64s%s%s", (const char *)element->name, text ? " " : "",
             text ? xml_quote(quoted, text) : "");
    free(text);
    return place;
}
