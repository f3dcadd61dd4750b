package dcamp;

import java.util.ArrayList;
import java.util.List;

/** The sensors of the process, in the order in which they were made, and their numbers. One thread at a time. */
final class Sensors {
    private final List<Sensor> published = new ArrayList<>();
    private int nextNumber;                     // the first that is free
    private int wordPanel;                      // the number of the panel that the next words come into,
    private int words = Layout.WORDS_IN_PANEL;  // and how many are taken there
    private int ring;                           // the first number of the records of steps; 0: none

    /** What there is, into a segment that is new. False: it has no room for all of them. */
    boolean publish(Segment into) {
        for (Sensor sensor : published)
            if (!into.publish(sensor, ring))
                return false;
        return true;
    }

    Sensor findOrMake(Sensor.Description wanted, Segment segment) {
        String fault = Text.fault(wanted.name, wanted.instance, wanted.unit, wanted.purpose);
        if (fault != null)
            return unpublished(wanted, fault);
        for (Sensor sensor : published) {
            if (!sensor.name.equals(wanted.name))
                continue;
            if (sensor.kind != wanted.kind || !sensor.unit.equals(wanted.unit))
                return unpublished(wanted, "a sensor of this name has another kind or unit");
            if (sensor.instance.equals(wanted.instance))
                return sensor;
        }
        return make(wanted, segment);
    }

    private Sensor make(Sensor.Description wanted, Segment segment) {
        if (!takeNumbers(wanted))
            return unpublished(wanted, "the program has too many sensors");
        Sensor sensor = sensor(wanted);
        if (segment != null && !segment.publish(sensor, ring))
            return unpublished(wanted, "the file cannot grow");
        published.add(sensor);
        return sensor;
    }

    private static Sensor unpublished(Sensor.Description wanted, String fault) {
        wanted.place = null;
        wanted.fault = fault;
        return sensor(wanted);
    }

    private static Sensor sensor(Sensor.Description description) {
        switch (description.kind) {
        case COUNTER:
            return new Counter(description);
        case GAUGE:
            return new Gauge(description);
        case TIMER:
            return new Timer(description);
        case HISTOGRAM:
            return new Histogram(description);
        case TOP:
            return new Top(description);
        default:
            return new Step(description);
        }
    }

    /** The words of a sensor lie within one panel: those that are left at the end of one stay unused. */
    private boolean takeNumbers(Sensor.Description wanted) {
        Layout.Kind kind = wanted.kind;
        boolean wantsWords = words + kind.words > Layout.WORDS_IN_PANEL;
        boolean wantsRing = kind == Layout.Kind.STEP && ring == 0;
        int numbers = (wantsWords ? 1 : 0) + kind.panels + (wantsRing ? Layout.RING_PANELS : 0);
        if (published.size() == Layout.DESCRIPTORS_MAX || numbers > Layout.NUMBERS - nextNumber)
            return false;
        if (wantsWords) {
            wordPanel = nextNumber++;
            words = 0;
        }
        wanted.place = new Sensor.Place(published.size(), wordPanel, words, kind.panels == 0 ? 0 : nextNumber);
        words += kind.words;
        nextNumber += kind.panels;
        if (wantsRing) {
            ring = nextNumber;
            nextNumber += Layout.RING_PANELS;
        }
        return true;
    }
}
