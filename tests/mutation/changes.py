"""The changes that are tried on a C file, each of one place: an operator, a constant, a condition, a
call. They are found by the text: clang-format has put a blank on each side of a binary operator."""
import collections
import hashlib
import re

Change = collections.namedtuple('Change', 'path start end new')

INSTEAD = {
    '<': ('<=', '>='), '<=': ('<', '>'), '>': ('>=', '<='), '>=': ('>', '<'), '==': ('!=',), '!=': ('==',),
    '&&': ('||',), '||': ('&&',), '+': ('-',), '-': ('+',), '*': ('/',), '/': ('*',), '%': ('*',),
    '&': ('|',), '|': ('&',), '<<': ('>>',), '>>': ('<<',), '+=': ('-=',), '-=': ('+=',),
    '|=': ('&=',), '&=': ('|=',),
}
BINARY = re.compile(r'(?<= )(' + '|'.join(re.escape(sign) for sign in sorted(INSTEAD, key=len, reverse=True)) + r')(?=[ \n])')
STEP = re.compile(r'\+\+|--')
NOT = re.compile(r'!(?=[\w(!])')
NUMBER = re.compile(r'(?<![\w.])(\d+)(?![\w.])')
WORD = re.compile(r'\b(true|false)\b')
CONDITION = re.compile(r'\b(?:if|while) (?=\()')
CALL = re.compile(r'(?<=[;{})]\n)[ ]+(?!if\b|while\b|for\b|switch\b|return\b|else\b|log_|assert|va_|\(void\)|[A-Z_]+\()([\w.>-]+)(?=\()')

# What is no code: comments, texts, characters, and lines of the preprocessor.
OTHER = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^#(?:\\\n|[^\n])*$', re.S | re.M)
DECLARATION = re.compile(r'\s*(?:static |const |unsigned |signed |struct |union |enum |char |u?int\d*(?:_t)? |size_t |double |bool |void )')


def code_of(text):
    """The text with blanks for all that is no code."""
    return OTHER.sub(lambda found: re.sub(r'[^\n]', ' ', found[0]), text)


def closing(code, start):
    """The end of what begins with a bracket at start."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] == '(') - (code[at] == ')')
        if depth == 0:
            return at + 1
    return len(code)


def is_size(code, at):
    """Whether a number is the size in a declaration: more room changes nothing."""
    line = code[code.rfind('\n', 0, at) + 1:at]
    return bool(DECLARATION.match(line)) and line.count('[') > line.count(']')


def simple(code):
    """Where, up to where, and what instead: operators and constants."""
    for found in BINARY.finditer(code):
        for other in INSTEAD[found[1]]:
            yield found.start(), found.end(), other
    for found in STEP.finditer(code):
        yield found.start(), found.end(), '--' if found[0] == '++' else '++'
    for found in NOT.finditer(code):
        yield found.start(), found.end(), ''
    for found in WORD.finditer(code):
        yield found.start(), found.end(), 'false' if found[0] == 'true' else 'true'
    for found in NUMBER.finditer(code):
        if not is_size(code, found.start()):
            yield found.start(), found.end(), '0' if found[0] == '1' else str(int(found[0], 0 if found[0][0] != '0' else 8) + 1)


def larger(code):
    """Conditions that always or never hold, and calls that are left out."""
    for found in CONDITION.finditer(code):
        start, end = found.end(), closing(code, found.end())
        yield start, start + 1, '(0 && ', end
        if found[0].startswith('if'):
            yield start, start + 1, '(1 || ', end
    for found in CALL.finditer(code):
        end = closing(code, found.end())
        if code[end:end + 1] == ';':
            yield found.start(1), end, '(void)0', None


def changes_of(path, text):
    """All changes of a file. What is outside of functions and tables is left alone."""
    code = code_of(text)
    inside, depth = [], 0
    for letter in code:
        depth += (letter == '{') - (letter == '}')
        inside.append(depth > 0)
    for start, end, new in simple(code):
        if inside[start]:
            yield Change(path, start, end, new)
    for start, end, new, close in larger(code):
        if not inside[start]:
            continue
        # The rest of the condition in brackets of its own: it may hold an "or".
        if close:
            yield Change(path, start, close, new + '(' + text[start + 1:close - 1] + '))')
        else:
            yield Change(path, start, end, new)


def apply(text, change):
    return text[:change.start] + change.new + text[change.end:]


def lines_of(text, change):
    """The number of the first line that is another one, that line, and what it is then."""
    old, new = text.split('\n'), apply(text, change).split('\n')
    number = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), 0)
    return number + 1, old[number].strip(), new[number].strip()


def rank(text, change, seed):
    """By what a seed chooses: the same for a line whatever stands around it."""
    number, old, new = lines_of(text, change)
    column = change.start - text.rfind('\n', 0, change.start)
    return hashlib.sha256(f'{seed}\n{change.path}\n{column}\n{old}\n{new}'.encode()).hexdigest()
