package dcamp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The texts of segments: what is wrong with one, and its octets. Programs have nothing to call here; the agent
 * makes its names here.
 */
public final class Text {
    private static final int HASH_DIGITS = 8;

    private Text() {
    }

    static byte[] octets(String text) {
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
    }

    /** The first octets of a text, up to a zero octet, which none may have. */
    static byte[] cut(String text, int size) {
        byte[] octets = octets(text);
        int length = 0;
        while (length < octets.length && length < size && octets[length] != 0)
            length++;
        return length == octets.length ? octets : Arrays.copyOf(octets, length);
    }

    /** Null: it can be the name of an application or a sensor; or else why not, for people. */
    public static String nameFault(String name) {
        if (name == null || name.isEmpty())
            return "the name is empty";
        if (name.length() > Layout.NAME)
            return "the name has more than 32 characters";
        for (int i = 0; i < name.length(); i++)
            if (!isOfName(name.charAt(i)))
                return "the name has other characters than A-Z a-z 0-9 . _ -";
        return null;
    }

    private static boolean isOfName(char c) {
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_'
            || c == '-';
    }

    /** Null: a sensor can have these texts. A text that is null is an empty one. Only steps have purposes. */
    public static String fault(String name, String instance, String unit, String purpose) {
        String fault = nameFault(name);
        if (fault != null)
            return fault;
        if (octets(instance).length > Layout.INSTANCE)
            return "the instance has more than 64 octets";
        if (octets(unit).length > Layout.UNIT)
            return "the unit has more than 16 octets";
        if (octets(purpose).length > Layout.PURPOSE)
            return "the purpose has more than 32 octets";
        if (!isPrintable(instance) || !isPrintable(unit) || !isPrintable(purpose))
            return "instance, unit or purpose have control characters, or halves of characters";
        return null;
    }

    private static boolean isPrintable(String text) {
        int c;
        for (int i = 0; text != null && i < text.length(); i += Character.charCount(c))
            if (!isPrintable(c = text.codePointAt(i)))
                return false;
        return true;
    }

    private static boolean isPrintable(int c) {
        return !Character.isISOControl(c) && (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE);
    }

    // -- What is made to fit -----------------------------------------------------------------

    /**
     * A name for any text that is not empty: what no name has becomes '_'. What is longer than a name is cut off, and
     * has '-' and eight digits instead that are made of all of the text: those of two texts that differ are the same
     * once in 4 * 10^9.
     */
    public static String fitName(String text) {
        return fit(text, true, Layout.NAME, '-');
    }

    /** An instance likewise: only what no instance has becomes '_', and '~' is before the digits. */
    public static String fitInstance(String text) {
        return fit(text, false, Layout.INSTANCE, '~');
    }

    private static String fit(String text, boolean isName, int size, char mark) {
        StringBuilder all = new StringBuilder();
        int c;
        for (int i = 0; i < text.length(); i += Character.charCount(c)) {
            c = text.codePointAt(i);
            boolean isGood = isName ? c < 0x80 && isOfName((char) c) : isPrintable(c);
            all.appendCodePoint(isGood ? c : '_');
        }
        byte[] octets = octets(all.toString());
        if (octets.length <= size)
            return all.toString();
        return wholeCharacters(octets, size - 1 - HASH_DIGITS) + mark + digits(hash(octets(text)));
    }

    private static String wholeCharacters(byte[] octets, int length) {
        while ((octets[length] & 0xc0) == 0x80)
            length--;
        return new String(octets, 0, length, StandardCharsets.UTF_8);
    }

    /** FNV-1a. */
    private static int hash(byte[] octets) {
        int hash = 0x811c9dc5;
        for (byte octet : octets)
            hash = (hash ^ octet & 0xff) * 0x1000193;
        return hash;
    }

    private static String digits(int hash) {
        return Long.toHexString(1L << 32 | hash & 0xffffffffL).substring(1);
    }
}
