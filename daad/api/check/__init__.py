"""Is the gradient right at this point? If not, where does it go wrong; and if that cannot be told, why not?"""

from daad.api.check.plans import require_known_plans
from daad.api.check.procedure import check_gradient
from daad.api.check.product_differences import asked_product, check_product, require_known_product
from daad.api.check.report import CheckReport, Verdict

__all__ = [
    "CheckReport",
    "Verdict",
    "asked_product",
    "check_gradient",
    "check_product",
    "require_known_plans",
    "require_known_product",
]
