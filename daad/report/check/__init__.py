"""Is the gradient right at this point? If not, where does it go wrong; and if that cannot be told, why not?"""

from daad.report.check.check import check_gradient
from daad.report.check.plans import require_known_plans
from daad.report.check.report import CheckReport, Verdict

__all__ = ["CheckReport", "Verdict", "check_gradient", "require_known_plans"]
