package dcamp.weave;

/**
 * A pattern of names: * is any characters but the separator, ** any at all, and all others are themselves. Without
 * java.util.regex, which would take a JVM longer to load than all of the agent.
 */
final class Glob {
    private final String text;
    private final char separator;
    private final String prefix; // what is before the first *

    Glob(String text, char separator) {
        this.text = text;
        this.separator = separator;
        int star = text.indexOf('*');
        prefix = star < 0 ? text : text.substring(0, star);
    }

    boolean matches(String name) {
        return name.startsWith(prefix) && matches(prefix.length(), name, prefix.length());
    }

    /** What begins there in the pattern, and in the name. */
    private boolean matches(int at, String name, int in) {
        for (; at < text.length() && text.charAt(at) != '*'; at++, in++)
            if (in == name.length() || name.charAt(in) != text.charAt(at))
                return false;
        if (at == text.length())
            return in == name.length();
        boolean isAny = text.startsWith("**", at);
        int behind = at + (isAny ? 2 : 1);
        for (;; in++) {
            if (matches(behind, name, in))
                return true;
            if (in == name.length() || !isAny && name.charAt(in) == separator)
                return false;
        }
    }

    /** Whether that stands in it as it is. */
    boolean has(String part) {
        return text.contains(part);
    }
}
