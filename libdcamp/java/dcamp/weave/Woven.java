package dcamp.weave;

import dcamp.weave.Ledger.Reason;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;

/** What is known of a class that rules speak of. Other rules make others of it, and nothing is counted twice. */
final class Woven {
    private final BitSet measured = new BitSet(); // its methods, by their numbers
    private final Map<Reason, BitSet> left = new EnumMap<>(Reason.class);

    volatile Rules by;            // the latest by which it was looked at
    volatile boolean isRewritten; // it is not as its file has it
    volatile boolean hasField;    // it is a payload class

    /** Whether that method is made a step for the first time. */
    synchronized boolean measure(int method) {
        boolean isFirst = !measured.get(method);
        measured.set(method);
        return isFirst;
    }

    /** Whether that method, or as 0 the class, is left as it is for the first time, for that reason. */
    synchronized boolean leave(Reason reason, int method) {
        BitSet methods = left.get(reason);
        if (methods == null)
            left.put(reason, methods = new BitSet());
        boolean isFirst = !methods.get(method);
        methods.set(method);
        return isFirst;
    }
}
