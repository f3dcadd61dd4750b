# The page and the REST interface; a library, for its tests.
libweb_a_SOURCES = \
	http/access.c \
	http/access.h \
	http/listener.c \
	http/listener.h \
	http/reply.c \
	http/reply.h \
	web/analysis.c \
	web/answers.c \
	web/api.c \
	web/api.h \
	web/changes.c \
	web/changes.h \
	web/live.c \
	web/live.h \
	web/options.c \
	web/options.h \
	web/question.c \
	web/question.h \
	web/request.c \
	web/request.h \
	web/server.c \
	web/server.h \
	web/site.c \
	web/site.h \
	web/table.c \
	web/table.h \
	web/values.c
dcamp_web_SOURCES = web/main.c
dcamp_web_LDADD = libweb.a libanalysis.a $(publish_libs) $(MICROHTTPD_LIBS) $(JANSSON_LIBS) $(CRYPTO_LIBS) $(SYSTEMD_LIBS)

pagedir = $(datadir)/dcamp/web
dist_page_DATA = \
	web/page/dcamp.css \
	web/page/dcamp.js \
	web/page/icon.svg \
	web/page/index.html \
	web/page/openapi.json \
	web/page/uPlot.LICENSE \
	web/page/uPlot.iife.js \
	web/page/uPlot.min.css

EXTRA_DIST += \
	http/README \
	web/README
