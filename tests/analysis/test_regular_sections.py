"""What indices name on a domain, against a list of all points."""

from __future__ import annotations

import random
from itertools import product

from daad.analysis.regular_sections import exact, filled
from daad.analysis.subscripts import is_injective
from daad.ir.affine import Affine
from daad.ir.nodes import Range

SHAPE = (40, 40)


def _index(dice: random.Random, names: list[str]) -> tuple[Affine, ...]:
    terms = [{n: dice.choice((1, 1, -1, 2, 3, 4, 6)) for n in names if dice.random() < 0.6} for _ in SHAPE]
    return tuple(Affine.build(dice.randrange(3), form) for form in terms)


def test_boxes_of_all_points() -> None:
    found = {"exact": 0, "filled": 0, "injective": 0}
    for seed in range(4000):
        dice = random.Random(seed)
        domain = tuple(Range(n, Affine(low), Affine(low + dice.randrange(1, 5))) for low, n in enumerate("ijk"))
        domain = domain[: dice.choice((1, 2, 2, 3))]
        index = _index(dice, [r.var for r in domain])
        points = product(*(range(r.start.const, r.stop.const) for r in domain))
        values = [dict(zip((r.var for r in domain), point, strict=True)) for point in points]
        places = [tuple(form.evaluate(v) for form in index) for v in values]
        if is_injective(index, domain):
            found["injective"] += 1
            assert len(set(places)) == len(places), (index, domain)
        for name, box in (("exact", exact(index, domain, SHAPE)), ("filled", filled(index, domain, SHAPE))):
            if box is not None:
                found[name] += 1
                assert sorted(places) == list(product(*(range(a.const, b.const) for a, b in box))), (index, domain)
    assert found["filled"] > found["exact"] > 0 < found["injective"]
