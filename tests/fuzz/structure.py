"""Statements and expressions of programs with Python's structure, as templates.

Vectors have `n` elements, which is 3 at least, indices lie below 3; lists hold something; keys of tables are the words.
"""

from __future__ import annotations

from tests.fuzz import python
from tests.fuzz.jumps import JUMPS
from tests.fuzz.templates import Rows, Tables

WORDS = ("'low'", "'mid'")

EXPRESSIONS: Tables = {
    "plain number": ((3, "<a number>"), (3, "<a vector>[<index>]"), (1, "0.7")),
    "number": (
        (5, "<a number>"),
        (6, "<a vector>[<index>]"),
        (2, "0.7"),
        (3, "0.3 * np.sum(<vector>)"),
        (2, "np.mean(<vector>)"),
        (3, "np.tanh(<number>)"),
        (2, "np.sin(<number> * <number>)"),
        (3, "0.5 * <number> - 0.3 * <number>"),
        (1, "np.max(<vector>)"),
        (1, "min(<number>, <number>)"),
        (1, "max(-0.613, min(<number>, 0.853))"),
        (1, "0.2 * (<vector> @ <vector>)"),
        (1, "(<number> if <test> else <number>)"),
        (1, "float(<number>)"),
        (1, "0.3 * sum(<vector>)"),
        (2, "<a list>[<first>][<index>]"),
        (2, "<a row>[<first>]"),
        (1, "0.3 * sum(<a row>)"),
        (1, "0.5 * len(<a row>)"),
        (1, "max(<a row>)"),
        (1, "0.2 * sum(np.sum(v) for v in <a list>)"),
        (2, "<a table>[<word>][<index>]"),
        (1, "0.2 * sum(np.sum(v) for v in <a table>.values())"),
        (2, "0.3 * np.sum(<a part>)"),
        (1, "0.1 * <a part>.size"),
        (2, "np.tanh(<a function>(<number>))"),
        (2, "<a thing>[<index>]"),
        (2, "np.tanh(<a thing>(<number>))"),
        (1, "np.tanh(<a thing>.total)"),
        (1, "0.3 * len(<a thing>.log)"),
        (1, "0.4 * <a index>"),
        (1, "0.1 * <a counter>"),
        (1, "sorted(<vector>)[<index>]"),
    ),
    "plain vector": ((4, "<a vector>"), (1, "<a list>[<first>]")),
    "vector": (
        (6, "<a vector>"),
        (3, "0.5 * <vector> + 0.3 * <vector>"),
        (2, "np.sin(<vector>)"),
        (2, "<number> * <a vector>"),
        (1, "<vector> - <number>"),
        (2, "<a vector>[::-1]"),
        (1, "np.asarray(<a vector>)"),
        (1, "<a vector>.reshape(n)"),
        (1, "<a vector>.ravel()"),
        (1, "<a vector>.copy()"),
        (1, "np.array(<a vector>)"),
        (1, "np.where(<vector> > <level>, <vector>, <number>)"),
        (1, "np.clip(<vector>, -0.613, 0.853)"),
        (1, "(<vector> if <test> else 0.5 * <vector>)"),
        (1, "np.zeros(n)"),
        (1, "np.roll(<vector>, 1)"),
        (2, "<a list>[<first>]"),
        (1, "0.4 * np.sum(<a list>, axis=0)"),
        (1, "0.4 * sum(<a list>)"),
        (1, "np.stack(<a list>).mean(axis=0)"),
        (1, "np.array(<a list>)[<first>]"),
        (2, "<a table>[<word>]"),
        (1, "np.concatenate([<a part>, <vector>])[:n]"),
        (1, "np.sort(<vector>)"),
        (1, "<vector>[np.argsort(<vector>, kind='stable')]"),
        (1, "np.array([0.5 * x for x in <vector>])"),
        (2, "helper(<vector>, <number>)"),
        (1, "helper(<vector>)"),
        (1, "np.array([<number>, *<vector>])[1:]"),
    ),
    "index": ((3, "0"), (3, "1"), (2, "2"), (2, "-1"), (5, "<a index>")),
    "first": ((2, "0"), (3, "-1")),
    "word": ((1, "'low'"), (1, "'mid'"), (2, "<a word>")),
    "level": ((1, "0.237"), (1, "-0.291"), (1, "0.071"), (1, "0.613")),
    "test": (
        (4, "<number> > <level>"),
        (2, "<number> < <number> + <level>"),
        (1, "np.any(<vector> > <level>)"),
        (1, "not <number> > <level>"),
        (1, "<number> > <level> and <number> < <level>"),
        (1, "<number> > <level> or <number> < -0.437"),
        (1, "len(<a row>) > 2"),
        (1, "<a index> > 0"),
        (1, "<a word> == 'low'"),
        (1, "<a part>.size > 1"),
        (1, "abs(<number>) > <level>"),
    ),
    "count": ((2, "2"), (3, "3"), (1, "n - 1"), (1, "1 + int(<number> > <level>)"), (1, "<a part>.size % 3")),
}

SIMPLE = (
    (5, "<new vector> = <vector>"),
    (4, "<new number> = <number>"),
    (8, "<a vector>[<index>] = <number>"),
    (5, "<a vector>[<index>] += 0.3 * <number>"),
    (3, "<a vector> *= 0.9"),
    (3, "<a vector> += 0.2 * <vector>"),
    (3, "<a vector>[:] = <vector>"),
    (2, "<a vector>[1:] = 0.5 * <a vector>[:-1]"),
    (3, "<x=a vector>, <y=a vector> = <y>, <x>"),
    (1, "<x=a vector>, <y=a vector> = <y>, 0.5 * <x>"),
    (4, "<a vector> = <vector>"),
    (4, "<a number> = <number>"),
    (4, "<a number> += 0.3 * <number>"),
    (1, "<a number> = min(max(<a number>, -0.613), 0.853)"),
    (1, "np.clip(<x=a vector>, -0.613, 0.853, out=<x>)"),
    (1, "np.add(<vector>, <number>, out=<a vector>)"),
    (2, "<new index> = int(np.argmax(<vector>[:3]))"),
    (2, "<new index> = int(np.argmin(np.abs(<vector>[:3])))"),
    (1, "<new index> = int(<test>)"),
    (2, "<new word> = 'low' if <test> else 'mid'"),
    (2, "<new vector> = {'low': np.sin, 'mid': np.tanh}[<a word>](<vector>)"),
    (2, "<new list> = [<a vector>, <vector>]"),
    (1, "<new list> = [<vector>] * 2"),
    (1, "<new list> = [<number> * v for v in <a list>[:3]]"),
    (1, "<new list> = list(<a list>)"),
    (1, "<new list> = [<a vector>, *<a list>[:2]]"),
    (1, "<new list> = list(np.stack(<a list>[:3]))"),
    (1, "<new list> = [v for v in <a list> if v[0] > <level>] + [<a vector>]"),
    (3, "<a list>.append(<vector>)"),
    (1, "<a list>.insert(0, <vector>)"),
    (1, "<a list>.reverse()"),
    (2, "<a list>[<first>] = <vector>"),
    (3, "<a list>[<first>][<index>] = <number>"),
    (2, "<a list>[<first>] *= 0.8"),
    (1, "<a list>.sort(key=lambda v: v[0])"),
    (1, "<x=a list>[0], <x>[-1] = <x>[-1], <x>[0]"),
    (2, "<new row> = [<number>, <number>]"),
    (1, "<new row> = [x for x in <vector> if x > <level>] + [<number>]"),
    (1, "<new row> = list(<vector>)"),
    (1, "<new row> = <a vector>.tolist()"),
    (2, "<a row>.append(<number>)"),
    (1, "<a row>[<first>] += 0.2 * <number>"),
    (1, "<a row>.sort()"),
    (1, "<new number>, *<new row> = [<number>, <number>, *<a vector>[:2]]"),
    (1, "<new index> = <x=a row>[:2].index(max(<x>[:2]))"),
    (2, "<new table> = {'low': <a vector>, 'mid': <vector>}"),
    (1, "<new table> = {k: <number> * <a vector> for k in ('low', 'mid')}"),
    (1, "<new table> = dict(<a table>)"),
    (1, "<new table> = {**<a table>, 'low': <vector>}"),
    (2, "<a table>[<word>] = <vector>"),
    (2, "<a table>[<word>][<index>] = <number>"),
    (2, "<a table>[<word>] += 0.2 * <vector>"),
    (1, "<new vector> = <a table>.get(<word>, <vector>)"),
    (1, "<new vector> = <a table>.setdefault(<word>, <vector>)"),
    (1, "<v=new vector> = <vector>\n<x=a table>['mid'] = <x>.pop('low')\n<x>['low'] = <v>"),
    (2, "<new part> = <vector>[<vector> > <level>]"),
    (1, "<new part> = <vector>[<a index>:]"),
    (1, "<new part> = <vector>[max(0, <a index>):min(n, <a index> + 2)]"),
    (1, "<new part> = np.array(<a row>)"),
    (1, "<new part> = np.compress(<vector> > <level>, <vector>)"),
    (1, "<x=a vector>[<vector> > <level>] = <number>"),
    (1, "<x=a vector>[<a index>:] *= 0.7"),
    (2, "<new function> = lambda x: 0.5 * x + <number>"),
    (1, "<new function> = functools.partial(lambda y, x: 0.4 * x * y, <number>)"),
    (1, "<new function> = <a thing>"),
    (3, "<new thing> = State(<vector>)"),
    (2, "<new thing> = Damped(<a vector>, rate=<number>)"),
    (1, "<new thing> = <a thing> if <test> else State(<vector>)"),
    (1, "<new thing> = copy.copy(<a thing>)"),
    (1, "<new thing> = copy.deepcopy(<a thing>)"),
    (4, "<a thing>.step(<vector>)"),
    (2, "<a thing>.total = <number>"),
    (2, "<a thing>[<index>] = <number>"),
    (2, "<a thing>.log.append(<number>)"),
    (2, "<a thing>.u = <a vector>"),
    (2, "change(<a thing>, <number>)"),
    (3, "<a vector> = helper(<vector>, <number>)"),
    (2, "written(<a vector>)"),
    (1, "written(<x=a vector>, <x>[::-1])"),
    (2, "<new number> = descend(<vector>, 3)"),
    (1, "<new number>, <new vector> = both(<vector>)"),
)

LOOPS = (
    (4, "for <new index> in range(3):\n    <block>"),
    (3, "for <new index> in range(<count>):\n    <block>"),
    (2, "for <new number> in <vector>:\n    <block>"),
    (1, "for <new number> in sorted(<vector>)[:2]:\n    <block>"),
    (1, "for <new number> in tuple(<a row>)[:3]:\n    <block>"),
    (2, "for <new vector> in <a list>[:3]:\n    <block>"),
    (2, "for <new index>, <new vector> in enumerate(<a list>[:3]):\n    <block>"),
    (2, "for <new index>, <new number> in enumerate(<vector>[:3]):\n    <block>"),
    (1, "for <new number>, <new number> in zip(<vector>, <vector>):\n    <block>"),
    (1, "for <new vector>, <new number> in zip(<a list>[:3], <vector>):\n    <block>"),
    (1, "for <new vector> in sorted(<a list>[:3], key=lambda v: v[0]):\n    <block>"),
    (2, "for <new vector> in (<a vector>, <a vector>):\n    <block>"),
    (2, "for <new word>, <new vector> in list(<a table>.items()):\n    <block>"),
    (1, "for <new word> in list(<a table>):\n    <block>"),
    (1, "for <new number> in drawn(<vector>):\n    <block>"),
    (2, "for <new index> in np.nonzero(<vector>[:3] > <level>)[0]:\n    <block>"),
    (2, "for <new index> in range(max(0, <i=a index> - 1), min(3, <i> + 2)):\n    <block>"),
    (1, "for <new index> in np.argsort(<vector>[:3], kind='stable'):\n    <block>"),
    (1, "for <new thing> in (<a thing>, State(<vector>)):\n    <block>"),
    (1, "for <new thing> in [State(v) for v in <a list>[:2]]:\n    <block>"),
    (2, "<r=new counter> = abs(<number>) + 0.6\nwhile <r> > 0.4331:\n    <r> *= 0.7\n    <block>"),
    (1, "<k=new counter> = 0\nwhile <k> < 4 and <test>:\n    <k> += 1\n    <block>"),
    (
        2,
        "<k=new counter> = 0\nwhile True:\n    <k> += 1\n    if <k> > 3:\n        break\n    <block>\n"
        "    if <test>:\n        break\n    <block>",
    ),
    (1, "<t=new counter> = 0.0\nwhile <t> < 1.0:\n    <t> += 0.3 + 0.2 * abs(np.tanh(<number>))\n    <block>"),
    (1, "for <new index> in range(3):\n    if <test>:\n        break\n    <block>\nelse:\n    <block>"),
)

BRANCHES = (
    (4, "if <test>:\n    <block>"),
    (4, "if <test>:\n    <block>\nelse:\n    <block>"),
    (1, "if <test>:\n    <block>\nelif <test>:\n    <block>\nelse:\n    <block>"),
    (2, "if <test>:\n    <s=out number> = <number>\nelse:\n    <block>\n    <s> = <number>"),
    (2, "if <test>:\n    <s=out vector> = <vector>\nelse:\n    <block>\n    <s> = <vector>"),
    (1, "<s=new number> = 0.0\nif <test>:\n    <block>\n    <s> = <number>"),
    (1, "if (<new number> := <number>) > <level>:\n    <block>"),
    (2, "if <a word> == 'low':\n    <block>\nelse:\n    <block>"),
    (1, "match <a word>:\n    case 'low':\n        <block>\n    case _:\n        <block>"),
    (1, "try:\n    <block>\nfinally:\n    <simple>"),
    (
        1,
        "try:\n    if <test>:\n        raise ValueError('no')\n    <block>\nexcept ValueError:\n    <block>",
    ),
    (2, "try:\n    <block>\n    <jump>\nexcept (KeyError, ValueError):\n    <block>"),
    (1, "try:\n    <block>\nexcept ValueError:\n    <block>\nelse:\n    <block>\nfinally:\n    <simple>"),
    (1, "with np.errstate(all='ignore'):\n    <block>"),
)

SEVERAL = (
    (2, "<s=out number> = None\nfor x in <vector>:\n    if <s> is None or x < <s>:\n        <s> = x"),
    (
        1,
        "best, <k=out index> = None, 0\nfor i in range(3):\n    cost = (<a vector>[i] - <number>) ** 2\n"
        "    if best is None or cost < best:\n        best, <k> = cost, i",
    ),
    (
        1,
        "found = False\nfor i in range(3):\n    if <a vector>[i] > <level>:\n        found, x = True, <number>\n"
        "        break\n<s=out number> = x if found else 0.3",
    ),
    (2, "<s=out list> = []\nfor <new index> in range(3):\n    <simple>\n    <s>.append(<vector>)"),
    (
        1,
        "<s=out list> = [<vector>]\nfor <new index> in range(3):\n    if <test>:\n        <s>.append(<vector>)\n"
        "    else:\n        <s>[-1] = 0.5 * <s>[-1] + <vector>",
    ),
    (1, "<s=out row> = []\nfor <new number> in <vector>:\n    <simple>\n    <s>.append(<number>)"),
    (1, "<s=out table> = {}\nfor <w=new word> in ('low', 'mid'):\n    <simple>\n    <s>[<w>] = <vector>"),
    (
        1,
        "<s=out table> = {'low': <vector>, 'mid': <vector>}\nfor <new number> in <vector>:\n"
        "    <s>['low' if <test> else 'mid'] += 0.3 * <vector>",
    ),
    (
        1,
        "objects = []\nfor <new index> in range(2):\n    objects.append(State(<vector>))\n"
        "for <new thing> in objects:\n    <block>\n<out thing> = objects[-1]",
    ),
    (1, "def <f=new function>(x):\n    <y=new number> = <number>\n    return 0.3 * x * <y>"),
    (
        1,
        "<u=out vector>, <v=out vector> = <vector>, <a vector>\nfor i in range(3):\n"
        "    <u>, <v> = <v>, 0.5 * <u> + <vector>",
    ),
    (
        1,
        "<u=out vector>, <v=out vector> = <a vector>, <vector>\nfor i in range(3):\n"
        "    <u>[1:] = 0.8 * <v>[:-1]\n    <u>, <v> = <v>, <u>",
    ),
    (
        1,
        "<s=out number> = 0.0\nfor i in range(3):\n"
        "    for j in range(max(0, i - 1), min(n, i + 2)):\n        <s> += 0.2 * <a vector>[i] * <a vector>[j]",
    ),
)

EXITS = (
    (1, "if <test>:\n    <jump>"),
    (1, "if <test>:\n    <block>\n    <jump>"),
    (1, "if <test>:\n    <block>\n    <jump>\nelse:\n    <block>"),
)
SIMPLE = (*SIMPLE, *python.SIMPLE)
STATEMENTS: Rows = (
    *((4 * weight, text) for weight, text in SIMPLE),
    *((10 * weight, text) for weight, text in (*LOOPS, *python.LOOPS)),
    *((10 * weight, text) for weight, text in BRANCHES),
    *((12 * weight, text) for weight, text in (*SEVERAL, *python.SEVERAL)),
    *((20 * weight, text) for weight, text in EXITS),
)
TABLES: Tables = {
    **{
        kind: (*EXPRESSIONS.get(kind, ()), *python.EXPRESSIONS.get(kind, ()))
        for kind in {**EXPRESSIONS, **python.EXPRESSIONS}
    },
    "simple": SIMPLE,
    "jump": JUMPS,
    "statement": STATEMENTS,
}
PARTS = {kind: (("vector", "{}.u"), ("number", "{}.t")) for kind in ("thing", "pair")}
