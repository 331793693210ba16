"""Which `while` loops are `for` loops over a range."""

from __future__ import annotations

import ast

import pytest

from daad.frontend.python.syntax.counting_loops import Counted

LOOPS = {
    "k = 0\nwhile k < n:\n  g(x, k)\n  k += 1": "for k in range(k, n, 1):",
    "k = 9\nwhile k >= n - 1:\n  k -= 2\n  g(x, k)": "for k in range(k, n - 1 - 1, -2):",
    "k, s = (0, 1.0)\nwhile n > k and s > 0.5:\n  s = g(x, k)\n  k += 1": "in range(k, n, 1):",
    "k = 0\nwhile k < n:\n  if g(x, k):\n    break\n  k += 1": "in range(k, n, 1):",
    "k = 0\nwhile k < n:\n  k += 1\n  if g(x, k):\n    continue\n  g(x, 0)": "in range(k, n, 1):",
    "k = 0\nwhile k < n:\n  if g(x, k):\n    continue\n  k += 1": "while k < n:",
    "k = 0\nwhile k < n:\n  if g(x, k):\n    k += 1": "while k < n:",
    "k = 0\nwhile k < n:\n  n -= 1\n  k += 1": "while k < n:",
    "k = 0\nwhile k < n:\n  k += 1\n  k += 1": "while k < n:",
    "k = 0.0\nwhile k < n:\n  k += 1": "while k < n:",
    "k = 0\nwhile k < 2.5:\n  k += 1": "while k < 2.5:",
    "k = 0\nwhile k < len(x) - 1:\n  x[k] = np.sin(x[k])\n  k += 1": "for k in range(k, len(x) - 1, 1):",
    "k = 0\nwhile k < len(x):\n  x.append(k)\n  k += 1": "while k < len(x):",
    "k = 0\nwhile k < len(x):\n  g(x)\n  k += 1": "while k < len(x):",
    "k = 0\nwhile k < g(x):\n  k += 1": "while k < g(x):",
    "k = 0\nwhile k > n:\n  k += 1": "while k > n:",
    "k = 0\nwhile k < n:\n  k += m": "while k < n:",
    "def g():\n  nonlocal n\nk = 0\nwhile k < n:\n  k += 1": "while k < n:",
    "k = 0\nwhile k < n and g(x):\n  k += 1\nelse:\n  k = 5": "while k < n and g(x):",
}


@pytest.mark.parametrize(("text", "expected"), LOOPS.items())
def test_loops_that_count_go_over_a_range(text, expected):
    body = "".join(f"  {line}\n" for line in text.splitlines())
    tree = Counted().visit(ast.parse(f"def f(x, n, m):\n{body}"))
    written = ast.unparse(tree).replace(repr(range), "range")
    assert expected in written
