package dcamp;

/** What the calling thread has. */
final class Own {
    private static final ThreadLocal<Own> OWN = new ThreadLocal<>() {
        @Override
        protected Own initialValue() {
            return new Own();
        }
    };

    /** How many updates a thread that has found no shard makes before it looks again. */
    private static final int PATIENCE = 1024;

    private Segment segment; // in which it has sought one
    private Shard shard;     // null: it has none there
    private int patience;

    /** The sequence of what the thread works at, for steps that have no other; 0: none. */
    long sequence;
    long nextSequence; // the next that it gives away; at a multiple of Probe.BLOCK there is none left

    static Own get() {
        return OWN.get();
    }

    /** The shard of the calling thread in a segment, which is made, if need be, or else shard 0. */
    Shard shard(Segment of) {
        Shard own = shard;
        return own != null && own.segment == of ? own : seek(of);
    }

    private Shard seek(Segment of) {
        if (segment != of) {
            segment = of;
            patience = 0;
            shard = mayOwn() ? of.attach() : null;
            if (shard == null)
                of.sayCrowded();
        } else if (++patience % PATIENCE == 0 && mayOwn()) {
            shard = of.attach();
        }
        return shard == null ? of.shared() : shard;
    }

    /** Of virtual threads there are more than shards, and they last too short a time. */
    private static boolean mayOwn() {
        return !Virtual.is(Thread.currentThread());
    }

    /** Since version 21. */
    private static final class Virtual {
        private static final java.lang.reflect.Method IS_VIRTUAL = find();

        private static java.lang.reflect.Method find() {
            try {
                return Thread.class.getMethod("isVirtual");
            } catch (NoSuchMethodException e) {
                return null;
            }
        }

        static boolean is(Thread thread) {
            try {
                return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invoke(thread);
            } catch (ReflectiveOperationException e) {
                return false;
            }
        }
    }
}
