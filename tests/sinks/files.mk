# The tests of sinks with real servers: make check-sinks. There is no broker of Kafka in Debian.
sink_programs =
if SINK_RDKAFKA
sink_programs += tests/sinks/kafka-cluster
EXTRA_PROGRAMS += tests/sinks/kafka-cluster
endif
tests_sinks_kafka_cluster_CFLAGS = $(AM_CFLAGS) $(RDKAFKA_CFLAGS)
tests_sinks_kafka_cluster_LDADD = $(RDKAFKA_LIBS)

# File by file: the build has objects in this directory.
EXTRA_DIST += \
	tests/sinks/common.py \
	tests/sinks/influx.py \
	tests/sinks/kafka-broker \
	tests/sinks/kafka-front \
	tests/sinks/kafka.py \
	tests/sinks/kafka_protocol.py \
	tests/sinks/mqtt.py \
	tests/sinks/openmetrics.py \
	tests/sinks/otlp.py \
	tests/sinks/otlp_receiver.py \
	tests/sinks/postgresql.py \
	tests/sinks/proto/README \
	tests/sinks/proto/opentelemetry/proto/collector/logs/v1/logs_service.proto \
	tests/sinks/proto/opentelemetry/proto/collector/metrics/v1/metrics_service.proto \
	tests/sinks/proto/opentelemetry/proto/common/v1/common.proto \
	tests/sinks/proto/opentelemetry/proto/logs/v1/logs.proto \
	tests/sinks/proto/opentelemetry/proto/metrics/v1/metrics.proto \
	tests/sinks/proto/opentelemetry/proto/resource/v1/resource.proto
