import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.CountDownLatch;

/**
 * Another agent, for tests/integration/agent.sh: behind the one of dCAMP, it holds the class Loading.Late while that
 * is loaded, until Loading.Early is rewritten.
 */
public final class Holding implements ClassFileTransformer {
    private final CountDownLatch rewritten = new CountDownLatch(1);

    private Holding() {
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new Holding(), true);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> loaded, ProtectionDomain domain, byte[] octets) {
        try {
            if ("Loading$Early".equals(name) && loaded != null)
                rewritten.countDown();
            if ("Loading$Late".equals(name) && loaded == null) {
                System.out.println("held");
                rewritten.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }
}
