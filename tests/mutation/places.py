"""Finds the places of a C++ source at which one small mistake can be made: the mutants of the file.

find(path, arguments) reads the file with libclang, with the arguments of its compiler, and gives a list of Mutant. A mutant
changes one or more ranges of bytes; no range lies in a macro, in a constexpr function, or outside of a function's body.

Kinds: operator, condition, check (a condition that guards an early end, such as that of an error result), constant, return,
call and statement (removed), arguments (two neighbours of the same type swapped).

Not every mutant compiles: weave.check() finds those that do not.
"""
import dataclasses
import re

from clang.cindex import CursorKind, Index, TranslationUnit, TypeKind

K = CursorKind

OPERATORS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",), "&": ("|",), "|": ("&",), "^": ("&",),
    "<<": (">>",), ">>": ("<<",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "|=": ("&=",), "&=": ("|=",),
}
OVERLOADED = {"==", "!=", "<", "<=", ">", ">="}  # Operators of classes; their "<<" and "+" have no counterpart.
FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
EARLY_ENDS = {K.RETURN_STMT, K.BREAK_STMT, K.CONTINUE_STMT, K.CXX_THROW_EXPR}
WRAPPERS = {K.UNEXPOSED_EXPR, K.PAREN_EXPR}
SYMMETRIC = {"min", "max", "swap"}  # The order of their arguments does not matter.
NOTHING = {b"{}", b"nullptr", b"std::nullopt", b"false", b"true", b"0", b'""'}


@dataclasses.dataclass(frozen=True)
class Edit:
    """How a mutant changes the bytes from start to end.

    form "expression": `after` replaces them. "condition": the same, where only true or false counts. "removed": they
    are a statement with its semicolon, and are left out. "before": the statement `after` is inserted before them.
    """
    start: int
    end: int
    form: str
    after: bytes


@dataclasses.dataclass(frozen=True)
class Mutant:
    kind: str
    line: int
    edits: tuple
    before: str  # what a person is shown: the text that is changed, and what it becomes
    after: str


class Finder:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.found = {}
        self.macros = []
        self.directives = [m.start() for m in re.finditer(rb"^[ \t]*#", text, re.M)]

    # ---- Places

    def range_of(self, cursor):
        """The bytes of a cursor in this file, or None."""
        start, end = cursor.extent.start, cursor.extent.end
        if start.file is None or start.file.name != self.path or end.file is None or end.file.name != self.path:
            return None
        return (start.offset, end.offset) if start.offset < end.offset else None

    def raw(self, cursor):
        place = self.range_of(cursor)
        return self.text[place[0]:place[1]] if place else b""

    def add(self, kind, edits, after):
        for edit in edits:
            if any(start <= edit.start and edit.end <= end for start, end in self.macros):
                return
            if any(edit.start <= at < edit.end for at in self.directives):
                return
        first = edits[0]
        line = self.text.count(b"\n", 0, first.start) + 1
        before = " ".join(self.text[first.start:edits[-1].end].decode(errors="replace").split())
        key = tuple(edits)
        if key not in self.found:
            self.found[key] = Mutant(kind, line, key, before, " ".join(after.split()))

    def expression(self, kind, cursor, after, form="expression"):
        place = self.range_of(cursor)
        if place:
            self.add(kind, [Edit(*place, form, after)], after.decode(errors="replace"))

    def with_semicolon(self, cursor):
        """The range of a statement with its semicolon, or None."""
        place = self.range_of(cursor)
        if not place:
            return None
        if self.text[place[1] - 1:place[1]] == b";":
            return place
        match = re.compile(rb"\s*;").match(self.text, place[1])
        return (place[0], match.end()) if match else None

    # ---- The tree

    def translation_unit(self, root):
        for cursor in root.get_children():
            if cursor.kind == K.MACRO_INSTANTIATION:
                place = self.range_of(cursor)
                if place:
                    self.macros.append(place)
        self.declarations(root)

    def declarations(self, cursor):
        for child in cursor.get_children():
            if child.location.file is None or child.location.file.name != self.path:
                continue
            if child.kind in FUNCTIONS:
                self.function(child)
            elif child.kind in (K.NAMESPACE, K.CLASS_DECL, K.STRUCT_DECL, K.CLASS_TEMPLATE, K.UNEXPOSED_DECL, K.LINKAGE_SPEC):
                self.declarations(child)

    def function(self, cursor):
        place = self.range_of(cursor)
        bodies = [child for child in cursor.get_children() if child.kind == K.COMPOUND_STMT]
        if not place or not bodies or not self.range_of(bodies[-1]):
            return
        head = self.text[place[0]:self.range_of(bodies[-1])[0]]
        if not re.search(rb"\b(constexpr|consteval)\b", head):
            self.statement(bodies[-1], cursor.result_type)

    def statement(self, cursor, result):
        """A cursor in a function's body that returns `result`."""
        kind = cursor.kind
        if kind in (K.STATIC_ASSERT, K.TYPE_REF, K.TEMPLATE_REF, K.NAMESPACE_REF):
            return
        if kind in (K.VAR_DECL, K.DECL_STMT) and re.match(rb"(static\s+)?constexpr\b|constinit\b", self.raw(cursor)):
            return
        if kind == K.LAMBDA_EXPR:
            result = None  # Only the compiler knows what a lambda returns.
        children = list(cursor.get_children())
        if kind == K.IF_STMT and re.match(rb"if\s+constexpr\b", self.raw(cursor)):
            children = [child for child in children if not child.kind.is_expression()]
        else:
            self.visit(cursor, kind, children, result)
        for position, child in enumerate(children):
            if self.is_statement(kind, position, children):
                self.removed(child)
            if kind == K.CASE_STMT and position == 0:
                continue
            self.statement(child, result)

    @staticmethod
    def is_statement(kind, position, children):
        if kind == K.COMPOUND_STMT:
            return True
        if kind == K.IF_STMT:
            return position > 0 and children[position - 1].kind != K.DECL_STMT
        return kind in (K.WHILE_STMT, K.FOR_STMT, K.CXX_FOR_RANGE_STMT, K.CASE_STMT, K.DEFAULT_STMT) and position == len(children) - 1

    def visit(self, cursor, kind, children, result):
        if kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            self.operator(cursor, children[0], children[1], OPERATORS)
        elif kind == K.CALL_EXPR:
            if cursor.spelling.startswith("operator") and len(children) == 3:
                self.operator(cursor, children[0], children[2], {name: OPERATORS[name] for name in OVERLOADED})
            else:
                self.arguments(cursor)
        elif kind == K.UNARY_OPERATOR and children:
            self.unary(cursor, children[0])
        elif kind in (K.IF_STMT, K.WHILE_STMT, K.CONDITIONAL_OPERATOR):
            self.condition(kind, children)
        elif kind == K.INTEGER_LITERAL:
            text = self.raw(cursor)
            if re.fullmatch(rb"[0-9a-fA-FxX'uUlL]+", text):
                self.expression("constant", cursor, {b"0": b"1", b"1": b"0"}.get(text, text + b" + 1"))
        elif kind == K.CXX_BOOL_LITERAL_EXPR:
            self.expression("constant", cursor, b"false" if self.raw(cursor) == b"true" else b"true")
        elif kind == K.RETURN_STMT and children:
            self.returned(cursor, children[0], result)

    def operator(self, cursor, left, right, table):
        whole, left_at, right_at = self.range_of(cursor), self.range_of(left), self.range_of(right)
        if not whole or not left_at or not right_at or left_at[0] != whole[0] or right_at[1] != whole[1]:
            return
        name = self.text[left_at[1]:right_at[0]].strip().decode(errors="replace")
        a, b = self.raw(left), self.raw(right)
        for other in table.get(name, ()):
            self.expression("operator", cursor, b"(" + a + b") " + other.encode() + b" (" + b + b")")
        if name in ("&&", "||"):
            for side in (a, b):
                self.expression("operator", cursor, side, "condition")

    def unary(self, cursor, operand):
        text, inner = self.raw(cursor), self.raw(operand)
        if text.startswith(b"!"):
            self.expression("operator", cursor, inner, "condition")
        elif text.startswith((b"++", b"--")):
            self.expression("operator", cursor, (b"--" if text[:1] == b"+" else b"++") + inner)
        elif text.endswith((b"++", b"--")):
            self.expression("operator", cursor, inner + (b"--" if text[-1:] == b"+" else b"++"))
        elif text.startswith(b"-"):
            self.expression("operator", cursor, inner)

    def condition(self, kind, children):
        if children[0].kind == K.VAR_DECL:
            return
        position = next((i for i, child in enumerate(children) if child.kind.is_expression()), None)
        if position is None or position > 1:
            return
        name = "condition"
        if kind == K.IF_STMT and position + 1 < len(children):
            then = children[position + 1]
            statements = [then] if then.kind != K.COMPOUND_STMT else list(then.get_children())
            if len(statements) <= 2 and any(self.ends_early(statement) for statement in statements):
                name = "check"
        values = (b"false",) if kind == K.WHILE_STMT else (b"true", b"false")
        for value in values:
            self.expression(name, children[position], value, "condition")

    @staticmethod
    def ends_early(cursor):
        while cursor.kind in WRAPPERS:
            inner = list(cursor.get_children())
            if len(inner) != 1:
                return False
            cursor = inner[0]
        return cursor.kind in EARLY_ENDS

    def returned(self, cursor, value, result):
        text = self.raw(value)
        place = self.with_semicolon(cursor)
        if not place or text in NOTHING or result is None:
            return
        canonical = result.get_canonical()
        if canonical.kind == TypeKind.BOOL:
            if not re.search(rb"[=!<>]=|[<>!]|&&|\|\|", text):    # operator() and unary() mutate these
                self.expression("return", value, b"!(" + text + b")")
        elif canonical.kind not in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE, TypeKind.VOID):
            self.add("return", [Edit(*place, "before", b"return {};")], "return {};")

    def removed(self, cursor):
        kind = cursor.kind
        if not (kind.is_expression() or kind in (K.BREAK_STMT, K.CONTINUE_STMT)):
            return
        place = self.with_semicolon(cursor)
        if place:
            name = "call" if kind in (K.CALL_EXPR, K.UNEXPOSED_EXPR) else "statement"
            self.add(name, [Edit(*place, "removed", b"")], "")

    def arguments(self, cursor):
        if cursor.spelling in SYMMETRIC:
            return
        given = list(cursor.get_arguments())
        for a, b in zip(given, given[1:]):
            if a is None or b is None or self.plain_type(a) != self.plain_type(b):
                continue
            at_a, at_b = self.range_of(a), self.range_of(b)
            if not at_a or not at_b or at_a[1] > at_b[0] or self.raw(a) == self.raw(b) or self.raw(a)[:1] == b"{":
                continue
            edits = [Edit(*at_a, "expression", self.raw(b)), Edit(*at_b, "expression", self.raw(a))]
            self.add("arguments", edits, (self.raw(b) + b", " + self.raw(a)).decode(errors="replace"))

    @staticmethod
    def plain_type(cursor):
        return cursor.type.get_canonical().spelling.replace("const ", "").rstrip("& ")


def find(path, arguments):
    """The mutants of a source, in the order of their places. Raises SystemExit if the source does not compile."""
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = Index.create().parse(path, args=arguments, options=options)
    errors = [d for d in unit.diagnostics if d.severity >= d.Error]
    if errors:
        raise SystemExit(f"{path} does not compile for libclang: {errors[0]}")
    with open(path, "rb") as file:
        finder = Finder(path, file.read())
    finder.translation_unit(unit.cursor)
    return sorted(finder.found.values(), key=lambda mutant: (mutant.edits[0].start, mutant.edits[-1].end, mutant.after))
