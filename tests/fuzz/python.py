"""More of Python for programs with its structure: operators of classes, closures with state, searches, worklists,
selections of which data decide the length. Templates as those of `structure.py`; pairs are dataclasses with `u`, `t`.
"""

from __future__ import annotations

from tests.fuzz.templates import Rows, Tables

EXPRESSIONS: Tables = {
    "number": (
        (2, "<a pair>.t"),
        (2, "0.3 * Pair.norm(<vector>)"),
        (1, "0.1 * len(<a pair>)"),
        (1, "0.3 * sum(<a pair>)"),
        (1, "getattr(<a pair>, 't')"),
        (1, "0.1 * sum(x * y for x, y in itertools.combinations(<vector>, 2))"),
        (1, "functools.reduce(lambda x, y: 0.5 * x + 0.3 * y, <vector>)"),
        (1, "0.3 * sum(x for x in <vector> if x > <level>)"),
        (1, "next((x for x in <vector> if x > <level>), <number>)"),
        (1, "<a vector>[max(range(3), key=lambda i: <a vector>[i])]"),
        (1, "0.2 * sum(x > <level> for x in <vector>)"),
        (1, "np.max(<a part>, initial=0.071)"),
        (1, "(<a part>[0] if <a part>.size else <number>)"),
        (1, "(np.mean(<a part>) if len(<a part>) else 0.3)"),
        (1, "0.1 * np.sum(np.outer(<a part>, <vector>))"),
    ),
    "vector": (
        (2, "<a pair>.u"),
        (1, "np.array([0.5 * x * y for x, y in zip(<vector>, <vector>)])"),
        (1, "np.array([x if x > <level> else 0.3 * <number> for x in <vector>])"),
        (1, "np.array(list(itertools.accumulate(<vector>, lambda x, y: 0.5 * x + 0.3 * y)))"),
        (1, "np.array(list(map(lambda x: 0.5 * x, <vector>)))"),
        (1, "np.fromiter((0.5 * x for x in <vector>), float)"),
        (1, "np.array(sorted(<vector>, reverse=True))"),
        (1, "np.select([<vector> > <level>], [<vector>], <number>)"),
        (1, "np.array([*<a pair>])"),
    ),
    "test": (
        (1, "any(x > <level> for x in <vector>)"),
        (1, "all(x < <level> for x in <vector>)"),
        (1, "<a pair>.t > <level>"),
        (1, "<level> < <number> < 0.853"),
        (1, "np.sum(<vector> > <level>) > 1"),
    ),
    "pair": (
        (4, "<a pair>"),
        (3, "Pair(<vector>, <number>)"),
        (1, "Pair(<a vector>)"),
        (1, "Pair.of(<vector>)"),
        (1, "0.5 * <a pair>"),
        (1, "-<a pair>"),
    ),
    "plain pair": ((1, "Pair(<a vector>)"),),
    "selection": (
        (2, "<vector>[<vector> > <level>]"),
        (1, "np.array([x for x in <vector> if x > <level>])"),
        (1, "np.delete(<vector>, <a index>)"),
        (1, "0.5 * <a part>"),
        (1, "<a part>[::-1]"),
        (1, "<a part>[<a part> < <level>]"),
        (1, "np.append(<a part>, <number>)"),
        (1, "np.concatenate([<a part>, <vector>])"),
        (1, "np.cumsum(0.5 * <a part>)"),
        (1, "np.sort(<a part>)"),
    ),
}

SIMPLE: Rows = (
    (4, "<new pair> = <pair>"),
    (2, "<new pair> = <pair> + <pair>"),
    (1, "<new pair> = dataclasses.replace(<a pair>, t=<number>)"),
    (1, "<new pair> = functools.reduce(lambda p, q: p + q, [<pair>, <pair>])"),
    (1, "<new pair> = max(<pair>, <pair>, key=lambda p: p.t)"),
    (1, "<new pair> = <pair> if <test> else <pair>"),
    (2, "<a pair> = <pair> + <pair>"),
    (1, "<a pair> += <pair>"),
    (2, "<a pair>.t += 0.3 * <number>"),
    (2, "<a pair>.u = <vector>"),
    (2, "<a pair>.u[<index>] = <number>"),
    (1, "setattr(<a pair>, 't', <number>)"),
    (2, "<a pair>.move(<number>)"),
    (1, "<a pair>.move(<number>).move(0.3)"),
    (4, "<new part> = <selection>"),
    (1, "<k=new places> = np.where(<vector> > <level>)[0]\n<a vector>[<k>] = <number>"),
    (1, "<k=new places> = np.nonzero(<vector> > <level>)[0]\n<a vector>[<k>] += 0.3 * <vector>[<k>]"),
    (1, "<a vector>[: <x=a part>.size] += 0.3 * <x>[:n]"),
)

SEVERAL: Rows = (
    (1, "<u=out vector> = <v=out vector> = <vector>\n<u>[0] = <number>"),
    (1, "<p=a pair>.u, <p>.t = <vector>, <number>"),
    (1, "<p=a pair>.u, <q=a pair>.u = <q>.u, <p>.u"),
    (
        1,
        "lists = [[]] * 2 + [[]]\nlists[0].append(<number>)\nlists[2].append(<number>)\n"
        "<out row> = lists[1] + lists[2]",
    ),
    (1, "rows = [list(<vector>) for _ in range(2)]\nrows[0][1] = <number>\n<out row> = [sum(c) for c in zip(*rows)]"),
    (1, "def <f=out function>(y, found=[0.3]):\n    found.append(0.5 * y)\n    return sum(found)"),
    (1, "def <f=out function>(y, *rest, x=<number>, **named):\n    return 0.3 * y + x + sum(rest) + len(named)"),
    (
        1,
        "def several(*args, scale=0.5, **named):\n    return scale * sum(args) + 0.1 * named.get('x', 0.3)\n"
        "<out number> = several(<number>, *<vector>[:2], **{'x': <number>})",
    ),
    (
        1,
        "functions = [lambda x, k=k: x * <a vector>[k] for k in range(3)]\n<out number> = functions[<index>](<number>)",
    ),
    (1, "<out function> = (lambda c: lambda x: 0.4 * x + c)(<number>)"),
    (
        1,
        "def choose(x):\n    if x > <level>:\n        return lambda y: 0.5 * y\n    return lambda y: np.tanh(y + x)\n"
        "<out number> = choose(<number>)(<number>)",
    ),
    (
        1,
        "Point = collections.namedtuple('Point', 'x y')\np = Point(<number>, <vector>)\nfor i in range(2):\n"
        "    p = p._replace(x=0.5 * p.x + p.y[i])\n<out number>, <out vector> = p",
    ),
    (
        1,
        "memo = {}\n\ndef fib(k):\n    if k not in memo:\n"
        "        memo[k] = <a vector>[k] if k < 2 else 0.5 * fib(k - 1) + 0.3 * fib(k - 2)\n    return memo[k]\n"
        "<out number> = fib(4)",
    ),
    (
        1,
        "class Scaled:\n    calls = 0\n\n    def __init__(self):\n        self.kept = {'x': []}\n\n"
        "    def __enter__(self):\n        Scaled.calls += 1\n        return self\n\n"
        "    def __exit__(self, kind, error, trace):\n        self.kept['x'].append(0.3)\n"
        "        return None\nwith Scaled() as held:\n    <simple>\n"
        "    held.kept['x'].append(<number>)\n    <simple>\n"
        "<out number> = 0.3 * sum(held.kept['x']) + Scaled.calls",
    ),
    (
        1,
        "def drop(u):\n    try:\n        for x in u:\n            if x > <level>:\n                yield x\n"
        "    finally:\n        u[0] *= 0.9\nfor <new number> in drop(<a vector>):\n    <simple>",
    ),
    (
        1,
        "queue = collections.deque([<number>, <number>])\nfor i in range(3):\n    x = queue.popleft()\n"
        "    queue.append(0.5 * x + 0.3 * queue[0])\n    if x > <level>:\n        queue.rotate(1)\n"
        "<out number> = queue[-1] - 0.3 * queue[0]",
    ),
    (
        1,
        "held = [<number> for _ in range(3)]\nheld[1:] = [0.5 * x for x in held[:2]]\n"
        "del held[<index>]\n<out row> = held",
    ),
    (
        1,
        "grid = np.zeros((2, n))\ngrid[0], grid[1] = <vector>, <vector>\nfor row in grid:\n    row *= 0.9\n"
        "<out vector> = grid[1]",
    ),
    (1, "grid = np.stack([<vector>, <vector>])\n<v=out vector> = grid[0]\ngrid[:, 1] = <number>\n<v> += 0.2 * grid[1]"),
    (
        2,
        "<x=out number> = <number>\ndef <f=out function>(y):\n    nonlocal <x>\n    <x> = 0.5 * <x> + 0.3 * y\n"
        "    return <x>",
    ),
    (
        1,
        "def <f=out function>(y):\n    <f>.calls += 1\n    return 0.3 * y * <f>.calls\n<f>.calls = 0",
    ),
    (1, "<g=new feed> = fed(<number>)\nnext(<g>)\n<g>.send(<number>)\n<out number> = <g>.send(<number>)"),
    (
        1,
        "window = collections.deque(maxlen=2)\nfor x in <vector>:\n    window.append(x * <number>)\n    if <test>:\n"
        "        break\n<out number> = 0.5 * sum(window)",
    ),
    (
        1,
        "bins = collections.defaultdict(float)\nfor x in <vector>:\n    bins['low' if x > <level> else 'mid'] += x\n"
        "<out number> = 0.1 * sum(x * x for x in bins.values())",
    ),
    (
        1,
        "groups = {}\nfor x in <vector>:\n    groups.setdefault(x > <level>, []).append(x)\n"
        "<out number> = 0.3 * sum(sum(g) / len(g) for g in groups.values())",
    ),
    (
        2,
        "stack, <s=out number> = [(<vector>, 2)], 0.0\nwhile stack:\n    v, k = stack.pop()\n    <s> += 0.3 * v[1]\n"
        "    if k > 0 and v[0] > <level>:\n        stack.append((0.5 * v[::-1], k - 1))",
    ),
    (1, "<v=out vector> = 1.5 * <vector>\nwhile np.max(np.abs(<v>)) > 0.6131:\n    <v> *= 0.7"),
    (
        2,
        "t, h, <y=out number> = 0.0, 0.4, <number>\nwhile t < 1.0:\n    trial = <y> + h * np.tanh(<y> - <a number>)\n"
        "    if abs(trial - <y>) > 0.1371 and h > 0.06:\n        h *= 0.5\n        continue\n    t += h\n"
        "    <y> = trial",
    ),
    (
        1,
        "<x=out number> = 1.3\nfor i in range(9):\n    d = (<x> ** 2 - 1.0 - <number> ** 2) / (2.0 * <x>)\n"
        "    <x> = <x> - d\n    if abs(d) < 1e-3:\n        break",
    ),
    (
        1,
        "lo, hi = <number>, 1.0 + abs(<number>)\nfor i in range(3):\n    mid = 0.5 * (lo + hi)\n"
        "    if mid > <number>:\n        hi = mid\n    else:\n        lo = mid\n<out number> = 0.5 * (lo + hi)",
    ),
    (
        1,
        "order = sorted(range(n), key=lambda i: <a vector>[i])\n<s=out number> = 0.0\nfor i in order[:3]:\n"
        "    <s> = 0.5 * <s> + <a vector>[i]",
    ),
    (
        1,
        "kept = []\nfor x in <vector>:\n    if all(abs(x - y) > 0.3137 for y in kept):\n        kept.append(x)\n"
        "<out part> = np.array(kept)",
    ),
    (
        1,
        "pairs = [Pair(<vector>)]\nfor <new number> in <vector>:\n    <simple>\n"
        "    pairs.append(pairs[-1] + <pair>)\n<out pair> = pairs[-1]",
    ),
)

LOOPS: Rows = (
    (2, "for <new number> in <a part>:\n    <block>"),
    (1, "for <new number> in <a part>[:2]:\n    <block>"),
    (1, "for <new index> in range(min(3, <a part>.size)):\n    <block>"),
    (1, "for <new pair> in (<a pair>, <pair>):\n    <block>"),
    (1, "for <new number> in <a pair>:\n    <block>"),
    (1, "for <new index>, <new index> in itertools.product(range(2), range(3)):\n    <block>"),
)
