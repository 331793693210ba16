"""Statements of programs whose control flow jumps: exits and exceptions in branches on data, nested in each other."""

from __future__ import annotations

from tests.fuzz.templates import Rows, Tables

EXPRESSIONS: Tables = {
    "plain number": ((3, "<a number>"), (3, "<a vector>[<index>]")),
    "number": (
        (5, "<a number>"),
        (6, "<a vector>[<index>]"),
        (1, "0.7"),
        (2, "np.tanh(<number>)"),
        (2, "np.sin(<number> * <number>)"),
        (2, "0.5 * <number> - 0.3 * <number>"),
        (1, "0.4 * <a index>"),
        (1, "0.2 * <a counter>"),
        (1, "0.3 * np.sum(<a vector>)"),
        (1, "0.2 * sum(<a row>)"),
        (1, "0.3 * len(<a row>)"),
        (1, "<a row>[-1]"),
        (2, "np.tanh(part(<a vector>, <number>))"),
    ),
    "index": ((2, "0"), (2, "1"), (1, "2"), (1, "-1"), (6, "<a index>")),
    "level": ((1, "0.237"), (1, "-0.291"), (1, "0.071"), (1, "0.613")),
    "test": (
        (4, "<a number> > <level>"),
        (4, "<a vector>[<index>] > <level>"),
        (4, "<a index> == 1"),
        (2, "<a index> > 0"),
        (1, "n == 4"),
        (1, "n > 3 and <number> > <level>"),
        (1, "<number> > <level> or <a index> == 2"),
        (1, "len(<a row>) > 2"),
        (1, "not <number> < <level>"),
    ),
    "count": ((2, "2"), (3, "3"), (1, "n - 1"), (1, "<a index> + 1")),
    "error": ((3, "ValueError"), (1, "(KeyError, ValueError)"), (1, "Exception")),
}

SIMPLE: Rows = (
    (4, "<new number> = <number>"),
    (6, "<a number> = <number>"),
    (8, "<a number> += 0.3 * <number>"),
    (4, "<x=a number> = 0.9 * <x> + 0.3 * <number>"),
    (4, "<a vector>[<index>] = 0.8 * <number>"),
    (2, "<a vector>[<index>] += 0.3 * <number>"),
    (1, "<a vector> *= 0.9"),
    (1, "<a vector> = 0.5 * <a vector>"),
    (2, "<a row>.append(<number>)"),
)

JUMPS: Rows = (
    (1, "pass"),
    (3, "return <number>"),
    (4, "<a loop>break"),
    (4, "<a loop>continue"),
    (3, "<a try>raise ValueError('no')"),
)

STATEMENTS: Rows = (
    (8, "<simple>"),
    (3, "if <test>:\n    <jump>"),
    (6, "if <test>:\n    <block>\n    <jump>"),
    (2, "if <test>:\n    <block>\n    <jump>\nelse:\n    <block>"),
    (2, "if <test>:\n    <block>\nelse:\n    <block>\n    <jump>"),
    (1, "if <test>:\n    <jump>\nelif <test>:\n    <block>\nelse:\n    <jump>"),
    (3, "if <test>:\n    <block>"),
    (3, "if <test>:\n    <block>\nelse:\n    <block>"),
    (1, "if <test>:\n    <s=out number> = <number>\nelse:\n    <block>\n    <s> = <number>"),
    (6, "for <new index> in range(<count>):\n    <block>"),
    (2, "for <new index> in range(<count>):\n    <block>\nelse:\n    <block>"),
    (2, "for <new number> in <a vector>:\n    <block>"),
    (1, "for <new number> in tuple(<a row>)[:3]:\n    <block>"),
    (1, "for <new index>, <new number> in enumerate(<a vector>[:3]):\n    <block>"),
    (1, "<k=new counter> = 0\nwhile <k> < 3:\n    <k> += 1\n    <block>\nelse:\n    <block>"),
    (1, "<k=new counter> = 0\nwhile <k> < 4 and <test>:\n    <k> += 1\n    <block>"),
    (1, "<k=new counter> = 0\nwhile True:\n    <k> += 1\n    if <k> > 3:\n        break\n    <block>"),
    (2, "with np.errstate(all='ignore'):\n    <block>"),
    (2, "match n:\n    case 4:\n        <block>\n    case _:\n        <simple>"),
    (1, "match <a index>:\n    case 0 | 2:\n        <block>\n    case _:\n        <block>"),
    (3, "try:\n    <block>\nfinally:\n    <simple>"),
    (3, "try:\n    <block>\nexcept <error>:\n    <block>"),
    (2, "try:\n    <block>\nexcept <error> as error:\n    <block>\nelse:\n    <block>"),
    (2, "try:\n    <block>\nexcept KeyError:\n    <simple>\nexcept <error>:\n    <block>\nfinally:\n    <simple>"),
    (1, "<out row> = [<number>]"),
)

TABLES: Tables = {**EXPRESSIONS, "simple": SIMPLE, "jump": JUMPS, "statement": STATEMENTS}
