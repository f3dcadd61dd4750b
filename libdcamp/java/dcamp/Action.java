package dcamp;

/** A part of a program that a timer or a step is to measure. */
@FunctionalInterface
public interface Action<E extends Throwable> {
    void run() throws E;
}
