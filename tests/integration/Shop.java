package shop;

import java.math.BigInteger;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntBinaryOperator;

/**
 * A program that knows nothing of dCAMP: what tests/integration/agent.sh measures in it. It prints what comes
 * out, which is the same with the agent and without.
 */
public final class Shop {
    private static int entered;

    private Shop() {
    }

    /** Passes through several steps. */
    static class Order implements java.io.Serializable {
        final String customer;
        int cents;

        Order(String customer) {
            this(customer, customer.length() > 3 ? 100 : 200);
        }

        /** There is a branch before the call of the superclass's. */
        Order(String customer, int cents) {
            super();
            this.customer = customer;
            this.cents = cents;
            if (cents < 0)
                throw new IllegalArgumentException("cents");
        }
    }

    static final class Gift extends Order {
        Gift(boolean large) {
            super(large ? new String("someone") : new String("you"), -0);
        }
    }

    abstract static class Desk {
        Desk() {
            this(new StringBuilder(new String("desk")).toString());
        }

        Desk(String name) {
            entered += name.length();
        }

        abstract long handle(Order order, int times);

        native void hand();
    }

    static final class Clerk extends Desk implements Callable<Integer> {
        long handled;

        @Override
        long handle(Order order, int times) {
            for (;;) {
                if (times-- <= 0)
                    return handled;
                handled += pack(order) + 1;
            }
        }

        /** Called by handle(), in its thread. */
        private int pack(Order order) {
            return order.cents % 7;
        }

        /** Has a bridge method. */
        @Override
        public Integer call() {
            return 42;
        }
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static double pay(long number, double amount, String currency) throws Exception {
        if (amount < 0)
            throw new Exception("no credit in " + currency);
        return amount * 2;
    }

    /** The exception is caught within; another one comes after it, and goes out of a finally. */
    static String retry(String id, int times) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < times; i++) {
            try {
                if (i % 2 == 0)
                    throw new IllegalStateException("odd");
                all.append(i);
            } catch (IllegalStateException e) {
                all.append(e.getMessage());
                continue;
            } finally {
                all.append(';');
            }
        }
        return all.toString();
    }

    static long many(byte a, short b, char c, int d, long e, float f, double g, boolean h, long[] i, String... j) {
        long sum = a + b + c + d + e + (long) f + (long) g + (h ? 1 : 0) + i.length + j.length;
        synchronized (i) {
            switch (d) {
            case 1:
                return sum;
            case 2:
                long twice = sum * 2;
                return twice;
            default:
                break;
            }
        }
        double rest = g;
        Object last = j.length > 0 ? j[0] : i;
        return sum + (long) rest + (last == null ? 1 : 0);
    }

    static void deep(int n) {
        deep(n + 1);
    }

    static byte[] allocate(int size) {
        return new byte[size];
    }

    static int hot(int x) {
        return x * 31 + 7;
    }

    static String name(Object of) {
        return of instanceof Order ? ((Order) of).customer : String.valueOf(of);
    }

    /** Numbers that are not the JDK's. */
    static final class Dozens extends BigInteger {
        Dozens(String dozens) {
            super(dozens);
        }

        @Override
        public long longValue() {
            throw new IllegalStateException("dozens");
        }
    }

    static final class Ticket extends AtomicLong {
        @Override
        public long longValue() {
            throw new IllegalStateException("ticket");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("ticket");
        }
    }

    static String total(Object number) {
        return number.getClass().getSimpleName();
    }

    private static String attempt(Callable<Object> what) {
        try {
            return String.valueOf(what.call());
        } catch (Throwable e) {
            return String.valueOf(e);
        }
    }

    private static void work() throws Exception {
        Order first = new Order("Ann");
        Order second = new Order("Bernard");
        Clerk clerk = new Clerk();
        System.out.println(clerk.handle(first, 3) + " " + clerk.handle(second, 5) + " " + clerk.call());
        System.out.println(((Callable<Integer>) clerk).call() + " " + new Gift(true).customer);
        System.out.println(attempt(() -> new Order("x", -1)) + " " + attempt(() -> {
            clerk.hand();
            return 0;
        }).replaceFirst(":.*", ""));
        System.out.println(fibonacci(15) + " " + pay(4711, 2.5, "EUR") + " " + attempt(() -> pay(4712, -1, "EUR")));
        System.out.println(retry("17", 4) + " " + many((byte) 1, (short) 2, 'c', 1, 5, 6, 7, true, new long[2])
            + " " + many((byte) 1, (short) 2, 'c', 2, 5, 6, 7, true, new long[2], "j")
            + " " + many((byte) 1, (short) 2, 'c', 3, 5, 6, 7, false, new long[2], "j", "k"));
        IntBinaryOperator lambda = (a, b) -> a * b;
        System.out.println(lambda.applyAsInt(6, 7) + " " + attempt(() -> {
            deep(0);
            return 0;
        }) + " " + allocate(1000000).length + " " + name(first));
        System.out.println(total(new Dozens("12")) + " " + total(new Ticket()) + " " + total(BigInteger.TEN) + " "
            + total(new AtomicLong(12)));
        int sum = 0;
        for (int i = 0; i < 300000; i++)
            sum = hot(sum + i);
        System.out.println(sum + " " + entered + " "
            + java.io.ObjectStreamClass.lookup(Order.class).getSerialVersionUID());
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] threads = new Thread[4];
        work();
        for (int i = 0; i < threads.length; i++)
            (threads[i] = new Thread(() -> {
                for (int n = 0; n < 1000; n++)
                    new Clerk().handle(new Order("thread"), 1);
            })).start();
        for (Thread thread : threads)
            thread.join();
        System.out.println("done");
        System.out.flush();
        // Until its input ends, each line of it is another round.
        while (System.in.read() >= 0) {
            work();
            System.out.flush();
        }
    }
}
