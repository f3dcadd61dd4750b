# Sensors and steps of programs in Java. In the jar, what is counted with is where programs see it; what
# rewrites their classes, ASM included, is below META-INF/dcamp-agent, where only a loader of its own does.
java_writer = \
	libdcamp/java/dcamp/Action.java \
	libdcamp/java/dcamp/App.java \
	libdcamp/java/dcamp/Bucket.java \
	libdcamp/java/dcamp/Clock.java \
	libdcamp/java/dcamp/Counter.java \
	libdcamp/java/dcamp/Gauge.java \
	libdcamp/java/dcamp/Histogram.java \
	libdcamp/java/dcamp/Layout.java \
	libdcamp/java/dcamp/Own.java \
	libdcamp/java/dcamp/Premain.java \
	libdcamp/java/dcamp/Probe.java \
	libdcamp/java/dcamp/Segment.java \
	libdcamp/java/dcamp/SegmentFile.java \
	libdcamp/java/dcamp/Sensor.java \
	libdcamp/java/dcamp/Sensors.java \
	libdcamp/java/dcamp/Shard.java \
	libdcamp/java/dcamp/SpaceSaving.java \
	libdcamp/java/dcamp/Step.java \
	libdcamp/java/dcamp/Text.java \
	libdcamp/java/dcamp/Timer.java \
	libdcamp/java/dcamp/Top.java \
	libdcamp/java/dcamp/WeakIdentityMap.java
java_agent = \
	libdcamp/java/dcamp/weave/Agent.java \
	libdcamp/java/dcamp/weave/Bridge.java \
	libdcamp/java/dcamp/weave/Glob.java \
	libdcamp/java/dcamp/weave/Ledger.java \
	libdcamp/java/dcamp/weave/Rule.java \
	libdcamp/java/dcamp/weave/Rules.java \
	libdcamp/java/dcamp/weave/Survey.java \
	libdcamp/java/dcamp/weave/Transformer.java \
	libdcamp/java/dcamp/weave/Weaver.java \
	libdcamp/java/dcamp/weave/Woven.java \
	libdcamp/java/dcamp/weave/Wrapping.java
java_made = generated/java/dcamp/Borders.java generated/java/dcamp/Version.java

generated/java/dcamp/Borders.java: bucketgen$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./bucketgen$(EXEEXT) java > $@.new && mv -f $@.new $@
generated/java/dcamp/Version.java: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '/* Made by the Makefile. */'; echo 'package dcamp;'; echo; \
	  echo '/** What stands in the header of a segment. */'; echo 'final class Version {'; \
	  echo '    static final String WRITER = "dcamp-agent.jar $(PACKAGE_VERSION)";'; echo; \
	  echo '    private Version() {'; echo '    }'; echo '}'; } > $@.new && mv -f $@.new $@

# The same sources make the same octets: the date in the jar is that of the package, or a fixed one.
java_classes = generated/classes
java_inner = $(java_classes)/META-INF/dcamp-agent
java_date = `date -u -d "@$${SOURCE_DATE_EPOCH:-1767225600}" +%Y-%m-%dT%H:%M:%SZ`
dcamp-agent.jar: $(java_writer) $(java_agent) $(java_made) libdcamp/java/manifest Makefile
	$(AM_V_GEN)rm -rf $(java_classes) $@ && $(MKDIR_P) $(java_inner) && \
	$(JAVAC) $(JAVAC_FLAGS) -d $(java_classes) \
	  $(java_writer:%=$(srcdir)/%) $(java_made) && \
	$(JAVAC) $(JAVAC_FLAGS) -cp $(java_classes):$(ASM_JAR) -d $(java_inner) $(java_agent:%=$(srcdir)/%) && \
	(cd $(java_inner) && $(JAR) --extract --file $(ASM_JAR) org) && \
	$(JAR) --create --no-compress --file $@ --date=$(java_date) --manifest $(srcdir)/libdcamp/java/manifest -C $(java_classes) .

if JAVA
java_DATA = dcamp-agent.jar
dist_man_MANS += doc/man/dcamp-agent.7
endif
CLEANFILES += $(java_made) dcamp-agent.jar

EXTRA_DIST += $(java_writer) $(java_agent) libdcamp/java/manifest
