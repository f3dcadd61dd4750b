package dcamp.weave;

import java.util.regex.Pattern;

/** A pattern of names: * is any characters within a name, ** any at all, and all others are themselves. */
final class Glob {
    private final String text;
    private final String prefix; // what is before the first *
    private final Pattern pattern;

    /** Within a name are all characters but the separator. */
    Glob(String text, char separator) {
        this.text = text;
        int star = text.indexOf('*');
        prefix = star < 0 ? text : text.substring(0, star);
        pattern = star < 0 ? null : compile(text, separator);
    }

    private static Pattern compile(String text, char separator) {
        StringBuilder regex = new StringBuilder();
        for (String part : text.split("(?<=\\*)(?!\\*)|(?<!\\*)(?=\\*)")) {
            if (part.startsWith("**"))
                regex.append(".*");
            else if (part.equals("*"))
                regex.append("[^").append(Pattern.quote(String.valueOf(separator))).append("]*");
            else
                regex.append(Pattern.quote(part));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }

    boolean matches(String name) {
        return pattern == null ? name.equals(text) : name.startsWith(prefix) && pattern.matcher(name).matches();
    }

    /** Whether that stands in it as it is. */
    boolean has(String part) {
        return text.contains(part);
    }
}
