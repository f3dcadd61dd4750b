package dcamp;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What belongs to objects of the program: it does not keep them, and what their classes say of equals() and
 * hashCode() is not called. A value must not refer to its object. Programs have nothing to call here.
 */
public final class WeakIdentityMap<V> {
    private final ConcurrentHashMap<Key, V> values = new ConcurrentHashMap<>();
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();

    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object object, ReferenceQueue<Object> gone) {
            super(object, gone);
            hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (this == other)
                return true;
            Object object = get();
            return object != null && other instanceof Key && ((Key) other).get() == object;
        }
    }

    /** Null: the object has none. */
    public V get(Object object) {
        return values.get(new Key(object, gone));
    }

    /** The value of the object from now on: the one that it has, if any, or else this one. */
    public V putIfAbsent(Object object, V value) {
        for (Reference<?> key = gone.poll(); key != null; key = gone.poll())
            values.remove(key);
        V before = values.putIfAbsent(new Key(object, gone), value);
        return before == null ? value : before;
    }
}
