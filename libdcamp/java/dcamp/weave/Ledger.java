package dcamp.weave;

import dcamp.App;
import dcamp.Counter;
import dcamp.Premain;
import java.util.EnumMap;
import java.util.Map;

/** What the agent counts of itself, in sensors of the program; of each reason, it tells the first case. */
final class Ledger {
    /** Why something is left as it is. */
    enum Reason {
        UNREADABLE("unreadable", "classes"), LOADED("loaded", "classes"),
        NO_CODE("no-code", "methods"), CONSTRUCTOR("constructor", "methods"), ARGUMENT("argument", "methods"),
        SENSOR("sensor", "methods"), ERROR("error", "classes");

        final String instance;
        final String unit;

        Reason(String instance, String unit) {
            this.instance = instance;
            this.unit = unit;
        }
    }

    private final Map<Reason, Counter> left = new EnumMap<>(Reason.class);
    private final Map<Reason, Boolean> told = new EnumMap<>(Reason.class);
    private final Counter measured;

    Ledger(App app) {
        measured = app.counter("agent.measured", "", "methods");
        for (Reason reason : Reason.values())
            left.put(reason, app.counter("agent.left." + reason.unit, reason.instance, reason.unit));
    }

    /** One more method. */
    void measured() {
        measured.add(1);
    }

    void leave(Reason reason, String text) {
        left.get(reason).add(1);
        synchronized (told) {
            if (told.put(reason, true) != null)
                return;
        }
        Premain.say(text + "; the next cases of this kind are only counted, as agent.left." + reason.unit + " "
            + reason.instance);
    }

    /** Nothing that goes wrong in the agent goes on into the program. */
    void fail(String what, Throwable e) {
        leave(Reason.ERROR, what + " is left as it is: " + e);
    }
}
