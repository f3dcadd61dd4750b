# What is published, and what is kept of it; a library, for its tests.
libpublish_a_SOURCES = \
	publish/alarms.c \
	publish/alarms.h \
	publish/batch.c \
	publish/batch.h \
	publish/catalog.c \
	publish/catalog.h \
	publish/cells.c \
	publish/cells.h \
	publish/chronicle.c \
	publish/chronicle.h \
	publish/curve.c \
	publish/curve.h \
	publish/cursor_file.c \
	publish/cursor_file.h \
	publish/database.c \
	publish/database.h \
	publish/delivery.c \
	publish/delivery.h \
	publish/digest.c \
	publish/digest.h \
	publish/elapsed.c \
	publish/elapsed.h \
	publish/entries.c \
	publish/entries.h \
	publish/events.c \
	publish/events.h \
	publish/expiry.c \
	publish/expiry.h \
	publish/follow.c \
	publish/follow.h \
	publish/feed.c \
	publish/feed.h \
	publish/history.c \
	publish/history.h \
	publish/inbox.c \
	publish/inbox.h \
	publish/influx.c \
	publish/influx.h \
	publish/identity.c \
	publish/identity.h \
	publish/integers.c \
	publish/integers.h \
	publish/json.c \
	publish/json.h \
	publish/lines.c \
	publish/lines.h \
	publish/link.c \
	publish/link.h \
	publish/log_server.c \
	publish/log_server.h \
	publish/manager.c \
	publish/manager.h \
	publish/meanings.c \
	publish/meanings.h \
	publish/modules.c \
	publish/modules.h \
	publish/names.c \
	publish/names.h \
	publish/location.c \
	publish/location.h \
	publish/numbers.c \
	publish/numbers.h \
	publish/octets.c \
	publish/octets.h \
	publish/options.c \
	publish/options.h \
	publish/otlp.c \
	publish/otlp.h \
	publish/otlp_answer.c \
	publish/otlp_answer.h \
	publish/outdir.c \
	publish/outdir.h \
	publish/outfile.c \
	publish/outfile.h \
	publish/places.c \
	publish/places.h \
	publish/points.c \
	publish/points.h \
	publish/positions.c \
	publish/positions.h \
	publish/poster.c \
	publish/poster.h \
	publish/processes.c \
	publish/processes.h \
	publish/protobuf.c \
	publish/protobuf.h \
	publish/queue.c \
	publish/queue.h \
	publish/refusals.c \
	publish/refusals.h \
	publish/retold.c \
	publish/retold.h \
	publish/settings.c \
	publish/settings.h \
	publish/progress.c \
	publish/progress.h \
	publish/sink.h \
	publish/sink_csv.c \
	publish/sink_csv.h \
	publish/sink_file.c \
	publish/sink_file.h \
	publish/sink_influx.c \
	publish/sink_influx.h \
	publish/sink_journald.c \
	publish/sink_journald.h \
	publish/sink_json.c \
	publish/sink_json.h \
	publish/sink_otlp.c \
	publish/sink_otlp.h \
	publish/sink_sqlite.c \
	publish/sink_sqlite.h \
	publish/sink_syslog.c \
	publish/sink_syslog.h \
	publish/sinks.c \
	publish/sinks.h \
	publish/streams.c \
	publish/streams.h \
	publish/syslog_message.c \
	publish/syslog_message.h \
	publish/tiers.c \
	publish/tiers.h \
	publish/told.c \
	publish/told.h \
	publish/ucum.c \
	publish/ucum.h \
	publish/undigested.c \
	publish/undigested.h \
	publish/wording.c \
	publish/wording.h \
	publish/worker.c \
	publish/worker.h
publish_libs = libpublish.a libdcamp.a $(NANOPB_LIBS) $(SQLITE_LIBS) $(CBOR_LIBS) $(JANSSON_LIBS) $(SYSTEMD_LIBS) -lm
dcamp_publish_SOURCES = publish/main.c
dcamp_publish_LDADD = $(publish_libs)

# The kinds of sinks that need a library are modules. What they use of ours is inside of each, and nothing
# of it is seen from outside: neither dcamp-publish nor another module can have another version of it.
noinst_LTLIBRARIES += publish/libmodule.la
publish_libmodule_la_SOURCES = \
	publish/entries.c \
	publish/identity.c \
	publish/identity.h \
	publish/json.c \
	publish/lines.c \
	publish/location.c \
	publish/location.h \
	publish/octets.c \
	publish/progress.c \
	publish/progress.h \
	subagent/base/account.c \
	subagent/base/credentials.c \
	subagent/base/hex.c \
	subagent/base/hostport.c \
	subagent/base/item.c \
	subagent/base/private_file.c \
	subagent/base/text.c \
	subagent/calculate/histogram.c \
	subagent/calculate/histogram_cbor.c \
	subagent/calculate/histogram_packed.c \
	subagent/calculate/statistics.c \
	subagent/report/block.c \
	subagent/report/block_alarm.c \
	subagent/report/block_keys.c \
	subagent/report/block_record.c \
	subagent/report/block_start.c \
	subagent/report/block_window.c
# Objects of their own: not those of the libraries above, which are not position independent everywhere.
publish_libmodule_la_CFLAGS = $(AM_CFLAGS)
publish_libmodule_la_LIBADD = $(CBOR_LIBS) $(JANSSON_LIBS) -lm
$(publish_libmodule_la_OBJECTS): | generated/dcamp_mib.h generated/dcamp_buckets.h
module_flags = $(AM_LDFLAGS) -module -avoid-version -shared -export-symbols-regex '^dcamp_sink_type$$'
sinkdir = $(libdir)/dcamp/publish
sink_LTLIBRARIES =

if SINK_PQ
sink_LTLIBRARIES += publish/postgresql.la
endif
publish_postgresql_la_SOURCES = \
	publish/postgresql/connection.c \
	publish/postgresql/connection.h \
	publish/postgresql/entries.c \
	publish/postgresql/entries.h \
	publish/postgresql/known.c \
	publish/postgresql/known.h \
	publish/postgresql/names.c \
	publish/postgresql/names.h \
	publish/postgresql/rows.c \
	publish/postgresql/rows.h \
	publish/postgresql/schema.c \
	publish/postgresql/schema.h \
	publish/postgresql/sink.c
publish_postgresql_la_CFLAGS = $(AM_CFLAGS) $(PQ_CFLAGS)
publish_postgresql_la_LDFLAGS = $(module_flags)
publish_postgresql_la_LIBADD = publish/libmodule.la $(PQ_LIBS)

if SINK_MOSQUITTO
sink_LTLIBRARIES += publish/mqtt.la
endif
publish_mqtt_la_SOURCES = \
	publish/mqtt/client.c \
	publish/mqtt/client.h \
	publish/mqtt/sink.c \
	publish/mqtt/topic.c \
	publish/mqtt/topic.h
publish_mqtt_la_CFLAGS = $(AM_CFLAGS) $(MOSQUITTO_CFLAGS)
publish_mqtt_la_LDFLAGS = $(module_flags)
publish_mqtt_la_LIBADD = publish/libmodule.la $(MOSQUITTO_LIBS)

if SINK_RDKAFKA
sink_LTLIBRARIES += publish/kafka.la
endif
publish_kafka_la_SOURCES = \
	publish/kafka/handle.c \
	publish/kafka/handle.h \
	publish/kafka/message.c \
	publish/kafka/message.h \
	publish/kafka/producer.c \
	publish/kafka/producer.h \
	publish/kafka/reader.c \
	publish/kafka/reader.h \
	publish/kafka/sink.c \
	publish/kafka/target.c \
	publish/kafka/target.h \
	publish/kafka/topics.c \
	publish/kafka/topics.h
publish_kafka_la_CFLAGS = $(AM_CFLAGS) $(RDKAFKA_CFLAGS)
publish_kafka_la_LDFLAGS = $(module_flags)
publish_kafka_la_LIBADD = publish/libmodule.la $(RDKAFKA_LIBS)
# libmicrohttpd is there in any case: dcamp-web needs it.
sink_LTLIBRARIES += publish/openmetrics.la
scrape_sources = \
	publish/openmetrics/alarm.c \
	publish/openmetrics/alarm.h \
	publish/openmetrics/family.c \
	publish/openmetrics/family.h \
	publish/openmetrics/node.c \
	publish/openmetrics/node.h \
	publish/openmetrics/present.c \
	publish/openmetrics/present.h \
	publish/openmetrics/series.c \
	publish/openmetrics/series.h \
	publish/openmetrics/writing.c \
	publish/openmetrics/writing.h
publish_openmetrics_la_SOURCES = \
	$(scrape_sources) \
	http/access.c \
	http/access.h \
	http/listener.c \
	http/listener.h \
	http/reply.c \
	http/reply.h \
	publish/openmetrics/server.c \
	publish/openmetrics/server.h \
	publish/openmetrics/sink.c \
	subagent/base/clock.c \
	subagent/base/local_url.c \
	subagent/metric/registry.c
publish_openmetrics_la_CFLAGS = $(AM_CFLAGS)
publish_openmetrics_la_LDFLAGS = $(module_flags)
publish_openmetrics_la_LIBADD = publish/libmodule.la $(MICROHTTPD_LIBS) $(CRYPTO_LIBS)

EXTRA_DIST += \
	publish/README
