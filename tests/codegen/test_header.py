"""Generated code gets those parts of the header that it uses."""

from __future__ import annotations

import re

import pytest

from daad.codegen.cpp.header import HEADER, trimmed
from daad.codegen.cpp.header_sections import SECTIONS

NEEDED = {
    "x = y * 2.0;": {"checks"},
    "x = exp(y);": {"mathematics", "vectors", "checks"},
    "x = sinf(y);": {"mathematics", "vectors", "checks"},
    "x = daad::add_lanes(sums);": {"operations", "checks"},
    "const daad::Reciprocal r(y);": {"operations", "checks"},
    "x = daad::remainder(x, y);": set(SECTIONS) - {"scans", "streams", "products", "team"},
    "daad::Scan<double, true> scan{x};": {"operations", "scans", "checks"},
    "daad::stream(&to[3], from, count);": {"streams", "checks"},
    "daad::share_vector(n, m, call);": {"team", "products", "checks"},
    "daad::share(3, 1, 2, call);": {"team", "checks"},
}


@pytest.mark.parametrize("code", NEEDED)
def test_only_what_is_used_is_kept(code: str) -> None:
    text = trimmed(f"#include <stdint.h>\n{HEADER}\nvoid work() {{\n{code}\n}}\n")
    kept = {name for name, section in SECTIONS.items() if section.strip() in text}
    assert kept >= NEEDED[code]
    assert kept - NEEDED[code] <= {"mathematics", "vectors", "overloads", "functions"}
    assert text.startswith("#include <stdint.h>\n")
    assert text.endswith(f"{code}\n}}\n")
    assert not re.search("daad: ", text)


def test_other_text_stays() -> None:
    assert trimmed("this is no C++;") == "this is no C++;"
