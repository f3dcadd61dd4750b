# Histories to be shown.
check_PROGRAMS += tests/web/maker
tests_web_maker_SOURCES = tests/web/maker.c
tests_web_maker_LDADD = $(publish_libs) $(LDADD)

EXTRA_DIST += \
	tests/web/browser.py \
	tests/web/browser.sh \
	tests/web/chrome.py \
	tests/web/common.sh \
	tests/web/keys.js \
	tests/web/r.sh \
	tests/web/rest.py
