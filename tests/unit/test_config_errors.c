/* Files that are refused: one error that names the place. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/load.h"
#include "documents.h"

#define DURATION_HINT "; write for example \"500ms\", \"10s\" or \"5m\""
#define DECIMAL_HINT "a decimal number; write for example \"90\" or \"-0.5\""

static const struct bad_document bad_documents[] = {
    {"", "1: the file is empty; it must be an XML text file"},
    {" \r\n\t ", "1: the file is empty; it must be an XML text file"},
    {"hello", "1: not well-formed XML: *"},
    {"<dcamp version=\"1\">\n<sensors></dcamp>", "2: not well-formed XML: *"},
    {"<dcamp version=\"1\">\n<node group=\"\xe4\"/></dcamp>",
     "2: octet 0xe4 is not UTF-8; save it in UTF-8"},
    {"<dcamp version=\"1\"/>\n\n\xed\xa0\x80", "3: *"},
    {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><dcamp version=\"1\"/>",
     "1: encoding=\"ISO-8859-1\"; it must be encoding=\"UTF-8\""},
    {"<?xml version=\"1.0\" encoding=\"UTF-16\"?><dcamp version=\"1\"/>", "1: *"},
    {"<!DOCTYPE dcamp>\n<dcamp version=\"1\"/>",
     "1: a DOCTYPE; remove it, document types and entities are not used here"},
    {"\n<!DOCTYPE dcamp SYSTEM \"http://127.0.0.1:1/a\"><dcamp version=\"1\"/>",
     "2: a DOCTYPE; remove it, document types and entities are not used here"},
    {"<!DOCTYPE d [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\"><!ENTITY c \"&b;&b;\">]>"
     "<dcamp version=\"1\">&c;</dcamp>",
     "1: a DOCTYPE; remove it, document types and entities are not used here"},
    {"<dcamp version=\"1\"><node name=\"&a;\"/></dcamp>", "1: not well-formed XML: *"},
    {"<dcamp version=\"1\">\n<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" "
     "href=\"/etc/passwd\"/></dcamp>",
     "2: include: prefixes and xmlns; remove them, namespaces are not used here"},
    {"<dcamp version=\"1\" xmlns:x=\"http://www.w3.org/2001/XMLSchema-instance\" "
     "x:noNamespaceSchemaLocation=\"http://127.0.0.1:1/x.xsd\"/>",
     "1: dcamp: prefixes and xmlns; remove them, namespaces are not used here"},
    {"<dcamp version=\"1\" xml:base=\"/etc\"/>",
     "1: dcamp: prefixes and xmlns; remove them, namespaces are not used here"},
    {"<dcamp version=\"1\" xmlns=\"urn:x\"/>",
     "1: dcamp: prefixes and xmlns; remove them, namespaces are not used here"},
    {"<config version=\"1\"/>", "1: the root element is config; it must be <dcamp version=\"1\">"},
    {"\n\n<dcamp/>", "3: dcamp: version is missing; it must be <dcamp version=\"1\">"},
    {"<dcamp\n version=\"2\"/>",
     "2: dcamp: version=\"2\" is not supported; it must be version=\"1\""},
    {"<dcamp version=\"1.0\"/>",
     "1: dcamp: version=\"1.0\" is not supported; it must be version=\"1\""},
    {"<dcamp version=\"1\" foo=\"2\"/>", "1: dcamp: there is no attribute foo; there are version"},
    {"<dcamp version=\"1\">\n<nodes/></dcamp>",
     "2: dcamp: there is no element nodes; did you mean node?"},
    {"<dcamp version=\"1\">\n<sensor/></dcamp>",
     "2: dcamp: there is no element sensor; did you mean sensors?"},
    {"<dcamp version=\"1\">\n<maintenance/></dcamp>",
     "2: dcamp: there is no element maintenance; did you mean maintenances?"},
    {MAINTENANCE("days=\"sat\" time=\"25:00\" duration=\"1h\""),
     "1: maintenance \"m\": time is not one of the day; write for example 22:30; see dcamp.xml(5)"},
    {MAINTENANCE("days=\"sat\" time=\"22:00\""),
     "1: maintenance \"m\": a weekly maintenance needs a duration; see dcamp.xml(5)"},
    {MAINTENANCE("duration=\"1h\""),
     "1: maintenance \"m\": begin is missing; write when, or days; see dcamp.xml(5)"},
    {"<dcamp version=\"1\">\n" ASSIGNMENT "</dcamp>",
     "2: dcamp: only the share that the root of a tree makes for a node has an assignment; remove "
     "it"},
    {"<dcamp version=\"1\"><xyzzy/></dcamp>",
     "1: dcamp: there is no element xyzzy; see dcamp.xml(5)"},
    {"<dcamp version=\"1\">\n<node/>\n<node/></dcamp>",
     "3: node is there already, in line 2; make one of the two"},
    {SENSORS("\n<senser/>"), "2: sensors: there is no element senser; did you mean sensor?"},
    {"<dcamp version=\"1\"><sensors x=\"1\"/></dcamp>",
     "1: sensors: there is no attribute x; there are none"},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\"><a/></sensor>"),
     "1: Element 'sensor': Element content is not allowed*"},
    {"<dcamp version=\"1\">\nhello</dcamp>",
     "1: Element 'dcamp': Character content other than whitespace is not allowed*"},
    {"<dcamp version=\"1\"><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>\n<a><a><a>",
     "2: a: elements are nested too deeply"},
};

static const struct bad_document bad_settings[] = {
    {"<dcamp version=\"1\"><node name=\"a b\"/></dcamp>",
     "1: node \"a b\": name=\"a b\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {"<dcamp version=\"1\"><node group=\"\"/></dcamp>",
     "1: node: group=\"\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {"<dcamp version=\"1\"><node address=\"300.1.1.1\"/></dcamp>",
     "1: node: address=\"300.1.1.1\" is not an IPv4 address; write for example \"192.0.2.1\""},
    {"<dcamp version=\"1\"><node xyzzy=\"1\"/></dcamp>",
     "1: node: there is no attribute xyzzy; there are name, group, address, parent, level"},
    {"<dcamp version=\"1\"><node parent=\"a b\"/></dcamp>",
     "1: node: parent=\"a b\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {"<dcamp version=\"1\"><node level=\"256\"/></dcamp>",
     "1: node: level=\"256\" is not a number of steps from the root, from 0 to 255"},
    {"<dcamp version=\"1\"><node level=\"-1\"/></dcamp>",
     "1: node: level=\"-1\" is not a number of steps from the root, from 0 to 255"},
    {"<dcamp version=\"1\">\n<node name=\"a\" parent=\"a\"/></dcamp>",
     "2: node \"a\": a node is not its own parent"},
    {"<dcamp version=\"1\">\n<node name=\"a\" parent=\"b\" level=\"0\"/></dcamp>",
     "2: node \"a\": level 0 is that of the root, which has no parent: give one of the two"},
    {"<dcamp version=\"1\"><agentx\nping=\"99ms\"/></dcamp>",
     "2: agentx: ping=\"99ms\" is not a duration from 100ms to 1h; write for example \"500ms\", "
     "\"3s\" or \"1m\""},
    {"<dcamp version=\"1\"><agentx timeout=\"61s\"/></dcamp>",
     "1: agentx: timeout=\"61s\" is not a duration from 100ms to 1m; write for example \"500ms\", "
     "\"5s\" or \"1m\""},
    {"<dcamp version=\"1\"><state directory=\"var\"/></dcamp>",
     "1: state: directory=\"var\" is not an absolute path, up to 255 octets; write for example "
     "\"/var/lib/dcamp\""},
    {"<dcamp version=\"1\"><report keep=\"15\"/></dcamp>",
     "1: report: keep=\"15\" is not a number of blocks from 16 to 65536"},
    {"<dcamp version=\"1\"><report keep=\" 16\"/></dcamp>",
     "1: report: keep=\" 16\" is not a number of blocks from 16 to 65536"},
    {"<dcamp version=\"1\"><report block-bytes=\"4097\"/></dcamp>",
     "1: report: block-bytes=\"4097\" is not a number of octets from 256 to 4096"},
    {"<dcamp version=\"1\"><alarms log=\"9\"/></dcamp>",
     "1: alarms: log=\"9\" is not a number of log entries from 10 to 10000"},
    {"<dcamp version=\"1\"><alarms rate=\"0\"/></dcamp>",
     "1: alarms: rate=\"0\" is not a number of notifications from 1 to 1000"},
    {"<dcamp version=\"1\"><alarms per=\"0s\"/></dcamp>",
     "1: alarms: per=\"0s\" is not a duration from 1s to 1h; write for example \"10s\" or \"1m\""},
    {"<dcamp version=\"1\"><alarms queue=\"4294967297\"/></dcamp>",
     "1: alarms: queue=\"4294967297\" is not a number of notifications from 1 to 1000"},
};

#define CHILD(attributes)                                                                          \
    "<dcamp version=\"1\"><children><child " attributes "/></children><credentials>"               \
    "<credential name=\"lab\" user=\"dcamp\" secrets=\"/s\"/></credentials></dcamp>"
#define STRONG(attributes)                                                                         \
    "<dcamp version=\"1\"><children><child " attributes "/></children><credentials>"               \
    "<credential name=\"lab\" user=\"u\" auth=\"SHA-512\" "                                        \
    "priv=\"AES-256\"/></credentials></dcamp>"
#define KEYED "name=\"c\" address=\"udp:192.0.2.7:161\" credential=\"lab\""
#define KEY_64 "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
#define CREDENTIAL(attributes)                                                                     \
    "<dcamp version=\"1\"><credentials><credential " attributes "/></credentials></dcamp>"
#define OBJECT(attributes)                                                                         \
    "<dcamp version=\"1\"><objects><object name=\"o\" " attributes "/></objects></dcamp>"
#define SINK(attributes)                                                                           \
    "<dcamp version=\"1\"><sinks>\n<sink name=\"s\" " attributes "/></sinks></dcamp>"
#define OID_HINT                                                                                   \
    "an object identifier in numbers, with 2 to 128 arcs and up to 255 characters; write it as "   \
    "snmptranslate -On prints it"
#define PEER_HINT                                                                                  \
    "a numeric address; write for example \"udp:192.0.2.7:161\" or \"udp6:[2001:db8::7]:161\""

static const struct bad_document bad_rows[] = {
    {CHILD("name=\"c\" credential=\"lab\""),
     "1: child \"c\": address is missing; it must be " PEER_HINT},
    {CHILD("name=\"c\" credential=\"lab\" address=\"host.example:161\""),
     "1: child \"c\": address=\"host.example:161\" is not " PEER_HINT},
    {CHILD("name=\"c\" credential=\"lab\" address=\"udp:192.0.2.7:0\""),
     "1: child \"c\": address=\"udp:192.0.2.7:0\" is not " PEER_HINT},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\""), "1: child \"c\": credential is missing; *"},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\"\ncredential=\"lap\""),
     "2: child \"c\": credential=\"lap\" is not a credential of this file; did you mean \"lab\"?"},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\" credential=\"lab\" period=\"99ms\""),
     "1: child \"c\": period=\"99ms\" is not a duration from 100ms to 1h" DURATION_HINT},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\" credential=\"lab\" group=\"\""),
     "1: child \"c\": group=\"\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\" credential=\"lab\" kind=\"switch\""),
     "1: child \"c\": kind=\"switch\" is not one of dcamp, snmp"},
    {OBJECT(""), "1: object \"o\": oid is missing; it must be " OID_HINT},
    {OBJECT("oid=\"ifInOctets\""), "1: object \"o\": oid=\"ifInOctets\" is not " OID_HINT},
    {OBJECT("\noid=\"1.3.6.\""), "2: object \"o\": oid=\"1.3.6.\" is not " OID_HINT},
    {OBJECT("oid=\"1.3.6\" label=\"3.1\""), "1: object \"o\": label=\"3.1\" is not " OID_HINT},
    {OBJECT("oid=\"1.3.6\" type=\"scalar\" label=\"1.3.7\""),
     "1: object \"o\": a scalar has no label: it has one instance, \"total\"; see dcamp.xml(5)"},
    {OBJECT("oid=\"1.3.6\" calculation=\"percent\""),
     "1: object \"o\": calculation=\"percent\" is not one of basic, delta, rate"},
    {OBJECT("oid=\"1.3.6\" filter=\"f\""), "1: object \"o\": filter=\"f\" is not a filter *"},
    {CHILD("name=\"c\" address=\"udp:192.0.2.7:161\" credential=\"lab\" engine=\"800000\""),
     "1: child \"c\": engine, auth-key and priv-key belong together: give all three or none; see "
     "dcamp.xml(5)"},
    {CHILD(KEYED " engine=\"80001f88\" auth-key=\"00\" priv-key=\"00\""),
     "1: child \"c\": engine is shorter than 5 octets, which is 10 digits; see dcamp.xml(5)"},
    {CHILD(KEYED " engine=\"80001f880\" auth-key=\"00\" priv-key=\"00\""),
     "1: child \"c\": engine is not an engine ID: an even number of hexadecimal digits, 10 to 64"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"topsecret\" priv-key=\"00\""),
     "1: child \"c\": auth-key is not a localized key: an even number of hexadecimal digits, up to "
     "128"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"00\"\npriv-key=\" 00\""),
     "2: child \"c\": priv-key is not a localized key: an even number of hexadecimal digits, up to "
     "128"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 KEY_64 "00\" priv-key=\"00\""),
     "1: child \"c\": auth-key is not a localized key: an even number of hexadecimal digits, up to "
     "128"},
    {CHILD(KEYED " engine=\"80001f8804\"\nauth-key=\"" KEY_64 KEY_64 "\" priv-key=\"" KEY_64 "\""),
     "2: child \"c\": auth-key does not have 64 digits, as with SHA-256"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 "\"\n\npriv-key=\"00\""),
     "3: child \"c\": priv-key has fewer than 32 digits, which AES-128 needs"},
    {STRONG(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 "\" priv-key=\"" KEY_64 "\""),
     "1: child \"c\": auth-key does not have 128 digits, as with SHA-512"},
    {STRONG(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 KEY_64
                  "\" priv-key=\"00112233445566778899aabbccddeeff\""),
     "1: child \"c\": priv-key has fewer than 64 digits, which AES-256 needs"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 "\" priv-key=\"" KEY_64
                 "\" next-auth-key=\"" KEY_64 "\""),
     "1: child \"c\": next-auth-key and next-priv-key belong together, and are as long as auth-key "
     "and priv-key; see dcamp.xml(5)"},
    {CHILD(KEYED " engine=\"80001f8804\" auth-key=\"" KEY_64 "\" priv-key=\"" KEY_64
                 "\" next-auth-key=\"00\" next-priv-key=\"" KEY_64 "\""),
     "1: child \"c\": next-auth-key and next-priv-key belong together, and are as long as auth-key "
     "and priv-key; see dcamp.xml(5)"},
    {STRONG(KEYED), "1: child \"c\": credential=\"lab\" has no secrets, and the child has no keys; "
                    "give it engine, "
                    "auth-key and priv-key, or the credential secrets"},
    {CREDENTIAL("name=\"u\" user=\"u\" secrets=\"s\""),
     "1: credential \"u\": secrets=\"s\" is not the absolute path of a file"},
    {CREDENTIAL("name=\"u\" user=\"u\" secrets=\"/s\" auth=\"MD5\""),
     "1: credential \"u\": auth=\"MD5\" is not one of SHA-256, SHA-512"},
    {CREDENTIAL("name=\"u\" user=\"u\" secrets=\"/s\" priv=\"DES\""),
     "1: credential \"u\": priv=\"DES\" is not one of AES-128, AES-256"},
    {CREDENTIAL("name=\"u\" user=\"u\" secrets=\"/s\" passphrase=\"x\""),
     "1: credential \"u\": there is no attribute passphrase; *"},
    {SENSORS("\n<sensor name=\"cpu.busy\" metric=\"cpu.busy\"\n\n  interval=\"1parsec\"/>"),
     "4: sensor \"cpu.busy\": interval=\"1parsec\" is not on-demand or a duration from 100ms to "
     "1d" DURATION_HINT},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" interval=\"99ms\"/>"),
     "1: sensor \"s\": interval=\"99ms\" is not on-demand or a duration from 100ms to "
     "1d" DURATION_HINT},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" interval=\"25h\"/>"),
     "1: sensor \"s\": interval=\"25h\" is not on-demand or a duration from 100ms to "
     "1d" DURATION_HINT},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.bsy\"/>"),
     "1: sensor \"s\": metric=\"cpu.bsy\" is not a metric; did you mean \"cpu.busy\"?"},
    {SENSORS("<sensor name=\"s\" metric=\"xyzzy\"/>"),
     "1: sensor \"s\": metric=\"xyzzy\" is not a metric; write for example \"cpu.busy\""},
    {SENSORS("<sensor name=\"s\"\n/>"),
     "1: sensor \"s\": it has neither a metric nor an expression: give one of the two; see "
     "dcamp.xml(5)"},
    {SENSORS("<sensor name=\"s\" metric=\"load.1\" expression=\"1\"/>"),
     "1: sensor \"s\": it has a metric and an expression: give one of the two; see dcamp.xml(5)"},
    {SENSORS("<sensor name=\"s\" metric=\"load.1\" window=\"1ms\"/>"),
     "1: sensor \"s\": window=\"1ms\" is not none or a duration from 1s to 1d" DURATION_HINT},
    {SENSORS("<sensor name=\"s\"\n expression=\"1 + \"/>"),
     "2: sensor \"s\": expression, column 5: *"},
    {SENSORS("<sensor name=\"load\" metric=\"load.1\"/>\n<sensor name=\"s\" "
             "expression=\"2 * lood\"/>"),
     "2: sensor \"s\": expression, column 5: there is no sensor \"lood\"; did you mean \"load\"?"},
    {SENSORS("<sensor name=\"s\" expression=\"2 * xyzzy\"/>"),
     "1: sensor \"s\": expression, column 5: there is no sensor \"xyzzy\""},
    {"<dcamp version=\"1\"><endpoints>\n<endpoint name=\"a\" "
     "url=\"http://localhost/a;b\"/></endpoints></dcamp>",
     "2: endpoint \"a\": url=\"http://localhost/a;b\" is not up to 255 characters without ; and "
     "|, which are %3B and %7C there; write for example \"http://127.0.0.1:9121/metrics\""},
    {SINK("kind=\"SQLite\""),
     "2: sink \"s\": kind is not a word of a-z 0-9 -; write for example sqlite; see dcamp.xml(5)"},
    {SINK("kind=\"../x\""), "2: sink \"s\": kind=\"../x\" is not a word of 1 to 32 of a-z 0-9 -; "
                            "write for example \"sqlite\""},
    {SINK(""), "2: sink \"s\": kind is missing; it must be a word of 1 to 32 of a-z 0-9 -; write "
               "for example \"sqlite\""},
    {SINK("kind=\"a\" queue=\"16MB\""),
     "2: sink \"s\": queue=\"16MB\" is not a size from 64k to 1G octets, with k, M or G for 1024, "
     "1024^2 or 1024^3 of them; write for example \"64M\""},
    {SINK("kind=\"a\" queue=\"65535\""), "2: sink \"s\": queue=\"65535\" is not a size *"},
    {SINK("kind=\"a\" queue=\"1073741825\""), "2: sink \"s\": queue=\"1073741825\" is not a *"},
    {SINK("kind=\"a\" queue=\"none\""), "2: sink \"s\": queue=\"none\" is not a size *"},
    {SINK("kind=\"a\" limit=\"0\""), "2: sink \"s\": limit=\"0\" is not none or a size from 1M *"},
    {SINK("kind=\"a\" raw=\"1d12h\""),
     "2: sink \"s\": raw=\"1d12h\" is not a duration from 1h to 3650d, in whole seconds; write for "
     "example \"2d\" or \"12h\""},
    {SINK("kind=\"a\" raw=\"3600000ms\""), "2: sink \"s\": raw=\"3600000ms\" is not a *"},
    {SINK("kind=\"a\" hours=\"3651d\""), "2: sink \"s\": hours=\"3651d\" is not a *"},
    {SINK("kind=\"a\" raw=\"61d\""),
     "2: sink \"s\": raw is longer than minutes, or minutes than hours: *"},
    {SINK("kind=\"a\" hours=\"1d\""),
     "2: sink \"s\": raw is longer than minutes, or minutes than hours: *"},
    {SINK("kind=\"a\" location=\"http://u:p@h/\""),
     "2: sink \"s\": location has a password, and is shown over SNMP: put it into the file that "
     "credentials names; see dcamp.xml(5)"},
    {SINK("kind=\"a\" location=\"host=h password=p\""),
     "2: sink \"s\": location has a password, *"},
    {SINK("kind=\"a\" location=\"host=h password = p\""),
     "2: sink \"s\": location has a password, *"},
    {SINK("kind=\"a\" location=\"host=h sslpassword  =  p\""),
     "2: sink \"s\": location has a password, *"},
    {SINK("kind=\"a\" location=\"postgresql://h/d?pass%77ord=p\""),
     "2: sink \"s\": location has a password, *"},
    {SINK("kind=\"a\" location=\"postgresql://h/d?%50ASSWOR%64%3dp\""),
     "2: sink \"s\": location has a password, *"},
    {SINK("kind=\"a\" credentials=\"x\""),
     "2: sink \"s\": credentials=\"x\" is not the absolute path of a file"},
    {SENSORS("<sensor name=\"a\" expression=\"b\"/>\n<sensor name=\"b\" expression=\"a\"/>"),
     "1: sensor \"a\": expression, column 1: it derives from itself: a -> b -> a"},
    {SENSORS("<sensor name=\"l\" metric=\"load.1\"/><sensor name=\"m\" metric=\"mem.free\"/>\n"
             "<sensor name=\"s\" expression=\"l + m\"/>"),
     "2: sensor \"s\": expression, column 3: the units differ: \"tasks\" before this and \"B\" "
     "after it"},
    {SENSORS("\n<sensor metric=\"cpu.busy\"/>"),
     "2: sensor: name is missing; it must be a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {SENSORS("<sensor name=\"\" metric=\"cpu.busy\"/>"),
     "1: sensor \"\": name=\"\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {SENSORS("<sensor name=\"aa&#10;b;0123456789012345678901234567890123456789012345678901234567890"
             "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\" metric=\"cpu.busy\"/>"),
     "1: sensor \"aa "
     "b;0123456789012345678901234567890123456789012345678901234567890\xe2\x82\xac\xe2\x82\xac"
     "...\": name=\"aa "
     "b;0123456789012345678901234567890123456789012345678901234567890\xe2\x82\xac\xe2\x82\xac"
     "...\" is not a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" calculation=\"Basic\"/>"),
     "1: sensor \"s\": calculation=\"Basic\" is not one of basic, delta, rate, average, percent"},
    {SENSORS("\n<sensor name=\"s\" metric=\"load.1\"\n calculation=\"percent\"/>"),
     "2: sensor \"s\": the metric has no base value for calculation average or percent: use basic, "
     "delta or rate; see dcamp.xml(5)"},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" instances=\" \"/>"),
     "1: sensor \"s\": instances=\" \" is not a list of patterns, up to 128 characters; write for "
     "example \"*\" or \"!lo *\""},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" intervall=\"1s\"/>"),
     "1: sensor \"s\": there is no attribute intervall; did you mean interval?"},
    {SENSORS(A_SENSOR "\n" A_SENSOR),
     "2: sensor \"s\" is there already, in line 1; give every sensor a name of its own"},
    {SENSORS("<sensor name=\"s\" metric=\"cpu.busy\" filter=\"f\"/>"),
     "1: sensor \"s\": filter=\"f\" is not a filter of this file; add it or name another"},
    {"<dcamp version=\"1\"><sensors><sensor name=\"s\" metric=\"cpu.busy\"\nfilter=\"defualt\"/>"
     "</sensors><filters><filter name=\"default\"/></filters></dcamp>",
     "2: sensor \"s\": filter=\"defualt\" is not a filter of this file; did you mean \"default\"?"},
    {FILTERS("<filter name=\"f\" throttle=\"8d\"/>"),
     "1: filter \"f\": throttle=\"8d\" is not a duration from 0s to 7d" DURATION_HINT},
    {FILTERS("<filter name=\"f\" deadband=\"-1\"/>"),
     "1: filter \"f\": deadband=\"-1\" is not a decimal number from 0 on; write for example \"1\" "
     "or \"0.5\""},
    {FILTERS("<filter name=\"f\" gate=\"0\"/>"),
     "1: filter \"f\": gate=\"0\" is not one of gt, ge, lt, le, eq, ne, none"},
    {FILTERS("<filter name=\"f\" gate=\"gt\"/>"),
     "1: filter \"f\": gate needs a gate-limit; see dcamp.xml(5)"},
    {FILTERS("<filter name=\"f\" gate=\"gt\" gate-limit=\"1e3\"/>"),
     "1: filter \"f\": gate-limit=\"1e3\" is not " DECIMAL_HINT},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"3\" source=\"deviation\" "
               "span=\"9999ms\""),
     "1: threshold \"t\": source deviation needs a span of at least 10s, the length of the season; "
     "0s "
     "is a day; see dcamp.xml(5)"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"none\" limit=\"1\""),
     "1: threshold \"t\": operator=\"none\" is not one of gt, ge, lt, le, eq, ne"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\""),
     "1: threshold \"t\": limit is missing; it must be " DECIMAL_HINT},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"\""),
     "1: threshold \"t\": limit=\"\" is not " DECIMAL_HINT},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"1\" clear=\"2\""),
     "1: threshold \"t\": clear is above the limit of a gt or ge rule; see dcamp.xml(5)"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"1\" match=\"65\""),
     "1: threshold \"t\": match=\"65\" is not a number of samples from 1 to 64"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"1\" match=\"2\""),
     "1: threshold \"t\": match is not from 1 to the window; see dcamp.xml(5)"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"1\" severity=\"clear\""),
     "1: threshold \"t\": severity=\"clear\" is not one of info, warning, critical"},
    {THRESHOLD("name=\"t\" sensor=\"s\" operator=\"gt\" limit=\"1\" description=\"a;b\""),
     "1: threshold \"t\": description=\"a;b\" is not up to 127 octets of printable text without ; "
     "and |"},
    {THRESHOLD("name=\"t\" sensor=\"cpu\" operator=\"gt\" limit=\"1\""),
     "1: threshold \"t\": sensor=\"cpu\" is not a sensor of this file; add it or name another"},
};

static void check_bad(const struct bad_document *cases, size_t n)
{
    char error[CONFIG_ERROR_SIZE];
    for (size_t i = 0; i < n; i++) {
        assert_null(load_text(cases[i].text, error));
        assert_refused(&cases[i], error);
    }
}

static void refuses_documents(void **state)
{
    (void)state;
    check_bad(bad_documents, N_OF(bad_documents));
}

static void refuses_settings(void **state)
{
    (void)state;
    check_bad(bad_settings, N_OF(bad_settings));
}

static void refuses_rows(void **state)
{
    (void)state;
    check_bad(bad_rows, N_OF(bad_rows));
}

static void refuses_octets(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    static const char nul[] = "<dcamp version=\"1\">\n\0</dcamp>";
    assert_null(config_load_memory("f.xml", nul, sizeof nul - 1, error));
    assert_string_equal(error, "f.xml:2: a NUL octet; this must be an XML text file");
    static const char utf16[] = "\xff\xfe<\0d\0";
    assert_null(config_load_memory("f.xml", utf16, sizeof utf16 - 1, error));
    assert_string_equal(error, "f.xml:1: octet 0xff is not UTF-8; save it in UTF-8");
    size_t len = (32u << 20) + 1;
    char *large = calloc(1, len);
    assert_null(config_load_memory("f.xml", large, len, error));
    assert_string_equal(error, "f.xml: is too large; the most that is read is 32 MiB");
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_documents),
        cmocka_unit_test(refuses_settings),
        cmocka_unit_test(refuses_rows),
        cmocka_unit_test(refuses_octets),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
