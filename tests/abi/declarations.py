# SPDX-License-Identifier: Apache-2.0
"""Reads C declarations out of preprocessed headers, by hand: the check of the importer must not use the importer's parser.

parse(text, wanted) takes the output of `cc -E` and returns the functions, enums, structs and typedefs that stand in headers
for which wanted(base name) is true. No values or sizes: those are asked of a compiled program.
"""
import os
import re

TOKEN = re.compile(r'[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\.\.\.|<<|>>|->|::|[^\s\w]')
QUALIFIERS = {'extern', 'inline', '__inline', '__inline__', '__extension__', '__restrict', '__restrict__', 'restrict', 'register'}


class Found:
    def __init__(self):
        self.functions = {}   # name -> (returns, [(name, type)])
        self.enums = {}       # type ('-' when unnamed) -> [constants]
        self.structs = {}     # name -> (how to name it in C, [dotted fields])
        self.typedefs = set()


def tokens_of(text, wanted):
    """Tokens of the wanted headers, each with True where a declaration may not continue across (another header began)."""
    keep, tokens = False, []
    for line in text.split('\n'):
        marker = re.match(r'#\s+(?:line\s+)?\d+ "([^"]*)"', line)
        if marker:
            keep = wanted(os.path.basename(marker.group(1)))
        elif keep and not line.startswith('#'):
            tokens += TOKEN.findall(line)
    return tokens


def strip(tokens):
    """Without attributes, asm labels and calling conventions: what is left is plain C."""
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] in ('__attribute__', '__attribute', '__asm__', '__declspec'):
            i = closing(tokens, i + 1) + 1
        elif tokens[i] in ('[',) and i + 1 < len(tokens) and tokens[i + 1] == '[':
            i = closing(tokens, i) + 1      # [[deprecated]]
        else:
            if tokens[i] not in QUALIFIERS:
                out.append(tokens[i])
            i += 1
    return out


def closing(tokens, i):
    """Index of the bracket that closes the one at i."""
    depth = 0
    for at in range(i, len(tokens)):
        depth += tokens[at] in '([{' if len(tokens[at]) == 1 else 0
        depth -= tokens[at] in ')]}' if len(tokens[at]) == 1 else 0
        if depth == 0:
            return at
    raise ValueError('unbalanced: ' + ' '.join(tokens[i:i + 20]))


def declarations(tokens):
    """Splits at the top level. Yields lists of tokens; a function body ends its declaration."""
    current, i = [], 0
    while i < len(tokens):
        token = tokens[i]
        if token == 'extern' and i + 2 < len(tokens) and tokens[i + 1].startswith('"'):
            i += 3 if tokens[i + 2] == '{' else 2
            continue
        if token == '}':        # of extern "C" {
            current, i = [], i + 1
            continue
        if token in '([{':
            end = closing(tokens, i)
            body = token == '{' and current and current[-1] == ')' and 'typedef' not in current
            current += tokens[i:end + 1]
            i = end + 1
            if body:
                current = []
            continue
        if token == ';':
            if current:
                yield current
            current = []
        else:
            current.append(token)
        i += 1


def declarator(tokens):
    """(name, type) of a declaration without initializer: `const float * const A [ ]`."""
    depth, name_at = 0, None
    for i, token in enumerate(tokens):
        if token == '(' and i + 1 < len(tokens) and tokens[i + 1] == '*':
            # a pointer to a function: the name is inside
            inner = tokens[i + 1:closing(tokens, i)]
            for j, part in enumerate(inner):
                if re.match(r'[A-Za-z_]', part) and part != 'const':
                    name_at = i + 1 + j
                    break
            break
        depth += token in ('(', '[')
        depth -= token in (')', ']')
    else:
        end = tokens.index('[') if '[' in tokens else len(tokens)
        words = [t for t in tokens[:end] if re.match(r'[A-Za-z_]', t)]
        plain = [w for w in words if w not in ('const', 'volatile', 'struct', 'enum', 'union')]
        basic = {'int', 'char', 'short', 'long', 'unsigned', 'signed', 'float', 'double', 'void', '_Bool', 'bool'}
        last = tokens[end - 1] if end else ''
        if len(plain) > 1 and re.match(r'[A-Za-z_]', last) and last not in basic and last != 'const':
            name_at = end - 1
    if name_at is None:
        return '_', spell(tokens)
    return tokens[name_at], spell(tokens[:name_at] + tokens[name_at + 1:])


def spell(tokens):
    """One spelling for a type, however it was written: used on both sides of the comparison."""
    if isinstance(tokens, str):
        tokens = TOKEN.findall(tokens)
    tokens = [t for t in strip(tokens) if t not in ('struct', 'enum', 'union')]
    first = next((i for i, t in enumerate(tokens) if not re.match(r'[A-Za-z_]', t)), len(tokens))
    base = sorted(tokens[:first])
    if 'int' in base and any(w in base for w in ('long', 'short', 'unsigned')):
        base.remove('int')
    return ' '.join(base + ['bool' if t == '_Bool' else t for t in tokens[first:]])


def split_commas(tokens):
    part, parts, depth = [], [], 0
    for token in tokens:
        depth += token in ('(', '[', '{')
        depth -= token in (')', ']', '}')
        if token == ',' and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(token)
    return parts + [part] if part else parts


def fields_of(body, prefix=''):
    """Dotted names of the fields between a struct's braces, nested unnamed structs included."""
    fields = []
    for member in declarations(body):
        member = strip(member)
        if '{' in member:
            begin = member.index('{')
            end = closing(member, begin)
            names = split_commas(member[end + 1:])
            if not names:       # an anonymous member: its fields are the parent's
                fields += fields_of(member[begin + 1:end] + [';'], prefix)
            for name in names:
                word = next(t for t in name if re.match(r'[A-Za-z_]', t))
                fields.append(prefix + word)
                if member[begin - 1] in ('struct', 'union', 'enum'):      # with a tag it is a type of its own
                    fields += fields_of(member[begin + 1:end] + [';'], prefix + word + '.')
            continue
        first, *rest = split_commas(member)
        name = declarator(first)[0]
        fields.append(prefix + name)
        fields += [prefix + next(t for t in part if re.match(r'[A-Za-z_]', t)) for part in rest]
    return fields


def take_type(found, declaration, alias):
    """An enum or struct with a body in a declaration. ALIAS: the names of its typedef."""
    kind = next(t for t in declaration if t in ('enum', 'struct', 'union'))
    at, begin = declaration.index(kind), declaration.index('{')
    end = closing(declaration, begin)
    tag = declaration[at + 1] if begin > at + 1 else None
    name = alias or tag
    body = declaration[begin + 1:end]
    if kind == 'enum':
        found.enums.setdefault(name or '-', []).extend(part[0] for part in split_commas(body) if part)
    elif name:
        found.structs[name] = (alias or f'{kind} {tag}', fields_of(body + [';']))
        # a struct with a name inside another is a type of its own in C
        for member in declarations(body + [';']):
            if '{' in member and member[member.index('{') - 1] not in ('enum', 'struct', 'union'):
                take_type(found, strip(member), None)


def take(found, declaration):
    declaration = strip(declaration)
    if not declaration or declaration[0] in ('static', '_Static_assert', 'static_assert', 'template', 'using', 'namespace'):
        return
    if declaration[0] == 'typedef':
        if '{' in declaration:
            end = closing(declaration, declaration.index('{'))
            names = split_commas(declaration[end + 1:])
            direct = [n[0] for n in names if len(n) == 1]
            take_type(found, declaration[:end + 1], direct[0] if direct else None)
            found.typedefs.update(n[-1] for n in names)
        elif ')' in declaration and declarator(declaration[1:])[0] != '_':
            found.typedefs.add(declarator(declaration[1:])[0])
        else:
            found.typedefs.add(declaration[-1])
        return
    if '{' in declaration:
        if declaration[0] in ('enum', 'struct', 'union'):
            take_type(found, declaration, None)
        return
    if '(' not in declaration or '=' in declaration:
        return
    begin = declaration.index('(')
    name = declaration[begin - 1]
    if begin < 2 or not re.match(r'[A-Za-z_]', name) or closing(declaration, begin) != len(declaration) - 1:
        return
    parameters = split_commas(declaration[begin + 1:-1])
    if parameters == [['void']]:
        parameters = []
    found.functions.setdefault(name, (spell(declaration[:begin - 1]), [declarator(p) for p in parameters]))


def parse(text, wanted):
    found = Found()
    for declaration in declarations(tokens_of(text, wanted)):
        take(found, declaration)
    return found
