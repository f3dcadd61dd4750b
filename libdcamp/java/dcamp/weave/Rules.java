package dcamp.weave;

import dcamp.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/** A file of rules; dcamp-agent(7) says what stands there. */
final class Rules {
    String application = "";
    final List<Rule> steps = new ArrayList<>();
    final List<Glob> payloads = new ArrayList<>();

    /** What is wrong in a line of the file, for people. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1;
        final int line;

        Fault(int line, String message) {
            super(message, null, false, false);
            this.line = line;
        }
    }

    static Rules parse(List<String> lines) throws Fault {
        Rules rules = new Rules();
        for (int i = 0; i < lines.size(); i++) {
            List<String> words = words(lines.get(i));
            try {
                if (!words.isEmpty())
                    rules.add(words.toArray(new String[0]));
            } catch (IllegalArgumentException e) {
                throw new Fault(i + 1, e.getMessage());
            }
        }
        return rules;
    }

    /** Up to that with which a comment begins. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        StringTokenizer tokens = new StringTokenizer(line);
        while (tokens.hasMoreTokens()) {
            String word = tokens.nextToken();
            if (word.startsWith("#"))
                break;
            words.add(word);
        }
        return words;
    }

    /** -1: it is none. */
    private static int number(String text) {
        int number = text.isEmpty() || text.length() > 3 ? -1 : 0;
        for (int i = 0; i < text.length() && number >= 0; i++)
            number = text.charAt(i) >= '0' && text.charAt(i) <= '9' ? number * 10 + text.charAt(i) - '0' : -1;
        return number;
    }

    private static void need(boolean condition, String otherwise) {
        if (!condition)
            throw new IllegalArgumentException(otherwise);
    }

    private void add(String[] words) {
        switch (words[0]) {
        case "application":
            need(words.length == 2 && Text.nameFault(words[1]) == null,
                "expected \"application NAME\", of 1 to 32 characters A-Z a-z 0-9 . _ -");
            need(application.isEmpty(), "the application has a name already: " + application);
            application = words[1];
            break;
        case "payload":
            need(words.length == 2, "expected \"payload CLASS\"");
            payloads.add(new Glob(words[1], '.'));
            break;
        case "step":
            need(words.length >= 3, "expected \"step NAME CLASS.METHOD [OPTION=VALUE...]\"");
            steps.add(step(words));
            break;
        default:
            throw new IllegalArgumentException(
                "\"" + words[0] + "\" is not known: expected application, payload or step");
        }
    }

    private static Rule step(String[] words) {
        Rule rule = new Rule();
        rule.step = words[1];
        setMethod(rule, words[2]);
        for (int i = 3; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            need(equals > 0, "expected OPTION=VALUE instead of \"" + words[i] + "\"");
            setOption(rule, words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        needTexts(rule);
        return rule;
    }

    /** What a rule itself says has to fit; what is made of it for one of many methods is made to fit. */
    private static void needTexts(Rule rule) {
        String fault = Text.fault(Rule.expand(rule.step, "x", "x"), Rule.expand(rule.instance, "x", "x"), "",
            rule.purpose);
        need(fault == null, "step " + rule.step + ": " + fault);
    }

    private static void setMethod(Rule rule, String text) {
        int parenthesis = text.indexOf('(');
        String path = parenthesis < 0 ? text : text.substring(0, parenthesis);
        int dot = path.lastIndexOf('.');
        need(dot > 0 && dot < path.length() - 1, "expected CLASS.METHOD instead of \"" + text + "\"");
        rule.type = new Glob(path.substring(0, dot), '.');
        rule.method = new Glob(path.substring(dot + 1), '.');
        rule.descriptor = parenthesis < 0 ? null : new Glob(text.substring(parenthesis), '\0');
    }

    private static void setOption(Rule rule, String name, String value) {
        switch (name) {
        case "instance":
            rule.instance = value;
            break;
        case "purpose":
            rule.purpose = value;
            break;
        case "sequence":
            setSource(rule, value);
            break;
        case "costs":
            for (String cost : value.split(",", -1))
                setCost(rule, cost);
            break;
        default:
            throw new IllegalArgumentException(
                "a step has no option " + name + ": expected instance, purpose, sequence or costs");
        }
    }

    private static void setSource(Rule rule, String value) {
        boolean isThread = value.equals("thread");
        int number = number(value.substring(value.indexOf(':') + 1));
        boolean isArgument = number > 0 && value.startsWith("argument:");
        boolean isPayload = number >= 0 && value.startsWith("payload:");
        need(isThread || isArgument || isPayload, "expected sequence=thread, sequence=argument:N, from 1 on, or "
            + "sequence=payload:N, 0 for the object itself, instead of \"" + value + "\"");
        rule.source = isThread ? Rule.Source.THREAD : isArgument ? Rule.Source.ARGUMENT : Rule.Source.PAYLOAD;
        rule.argument = isThread ? 0 : number;
    }

    private static void setCost(Rule rule, String cost) {
        need(cost.equals("cpu") || cost.equals("allocated"), "expected costs=cpu, allocated or both, with a comma "
            + "between, instead of \"" + cost + "\"");
        rule.wantsCpu |= cost.equals("cpu");
        rule.wantsAllocated |= cost.equals("allocated");
    }

    // -- What they say of a class ------------------------------------------------------------

    /** Those that may say something of the methods of a class, in the order of the file: the first one counts. */
    List<Rule> of(String type) {
        List<Rule> found = List.of();
        for (Rule rule : steps) {
            if (!rule.type.matches(type))
                continue;
            if (found.isEmpty())
                found = new ArrayList<>();
            found.add(rule);
        }
        return found;
    }

    boolean isPayload(String type) {
        for (Glob payload : payloads)
            if (payload.matches(type))
                return true;
        return false;
    }

    boolean wantCosts() {
        for (Rule rule : steps)
            if (rule.wantsCpu || rule.wantsAllocated)
                return true;
        return false;
    }
}
