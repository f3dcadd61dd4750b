package dcamp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The texts of segments: what is wrong with one, and its octets. */
final class Text {
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

    static String nameFault(String name) {
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

    /** A text that is null is an empty one. Only steps have purposes. */
    static String fault(String name, String instance, String unit, String purpose) {
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
        for (int i = 0; text != null && i < text.length(); i += Character.charCount(c)) {
            c = text.codePointAt(i);
            if (Character.isISOControl(c) || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
                return false;
        }
        return true;
    }
}
