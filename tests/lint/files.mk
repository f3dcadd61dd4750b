lint_tests = \
	tests/lint/alarms.sh \
	tests/lint/artefacts.sh \
	tests/lint/cycle.sh \
	tests/lint/figures.sh \
	tests/lint/metrics.sh \
	tests/lint/mib.sh \
	tests/lint/ports.sh \
	tests/lint/readme.sh \
	tests/lint/rooms.py

EXTRA_DIST += \
	tests/lint/cppcheck.suppressions \
	tests/lint/grafana.js \
	tests/lint/mib-load.js \
	tests/lint/mib-rules.py
