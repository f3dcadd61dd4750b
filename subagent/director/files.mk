libdcamp_a_SOURCES +=
