"""Estimators of scikit-learn and statsmodels are Python as the user's own is: what they fit follows the data.

`make interop` installs both; without them nothing is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import row
from tests.oracle import check_gradient

RNG = np.random.default_rng(0)
X = RNG.random((12, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.1 * RNG.random(12)
CLASSES = (Y > -0.2).astype(int)

pytestmark = pytest.mark.filterwarnings("ignore")


def data():
    return X.copy(), Y.copy()


def squared_error(X, y):
    from sklearn.metrics import mean_squared_error

    return mean_squared_error(y, X @ np.ones(3))


def ridge(X, y):
    from sklearn.linear_model import Ridge

    return np.sum(Ridge(alpha=0.3).fit(X, y).coef_ ** 3)


def least_squares(X, y):
    from sklearn.linear_model import LinearRegression

    return np.sum(LinearRegression().fit(X, y).predict(X[:4] ** 2))


def bayesian_ridge(X, y):
    from sklearn.linear_model import BayesianRidge

    return np.sum(BayesianRidge().fit(X, y).coef_ ** 2)


def kernel_ridge(X, y):
    from sklearn.kernel_ridge import KernelRidge

    return np.sum(KernelRidge(kernel="rbf", alpha=0.2).fit(X, y).predict(X) ** 2)


def gaussian_process(X, y):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    process = GaussianProcessRegressor(RBF(0.5) + WhiteKernel(0.1), optimizer=None)
    return np.sum(process.fit(X, y).predict(X[:4] * 0.9) ** 2)


def kernel_of_pairs(X, y):
    from sklearn.metrics.pairwise import rbf_kernel

    return np.sum(rbf_kernel(X, gamma=0.7) @ y)


def principal_components(X, y):
    from sklearn.decomposition import PCA

    return np.sum(PCA(2).fit_transform(X) ** 4)


def scaled(X, y):
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    return np.sum(PolynomialFeatures(2).fit_transform(StandardScaler().fit_transform(X)) ** 3)


def discriminants(X, y):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return np.sum(LinearDiscriminantAnalysis().fit(X, CLASSES).decision_function(X) ** 2)


def naive_bayes(X, y):
    from sklearn.naive_bayes import GaussianNB

    return np.sum(GaussianNB().fit(X, CLASSES).predict_proba(X)[:, 0])


def ordinary_least_squares(X, y):
    import statsmodels.api as sm

    fitted = sm.OLS(y, sm.add_constant(X)).fit()
    return np.sum(fitted.params**2) + np.sum(fitted.bse)


def weighted_least_squares(X, y):
    import statsmodels.api as sm

    return np.sum(sm.WLS(y, X, weights=np.arange(1, 13.0)).fit().params ** 2)


OF_SKLEARN = (squared_error, ridge, least_squares, bayesian_ridge, kernel_ridge, gaussian_process, kernel_of_pairs)
OF_SKLEARN += (principal_components, scaled, discriminants, naive_bayes)
OF_STATSMODELS = (ordinary_least_squares, weighted_least_squares)
PROGRAMS = [(f, "sklearn") for f in OF_SKLEARN] + [(f, "statsmodels") for f in OF_STATSMODELS]


@pytest.mark.parametrize(("function", "package"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_fitted_is_differentiated_by_the_data(function: Callable[..., Any], package: str) -> None:
    pytest.importorskip(package)
    case = row(function, data, "X, y")
    check_gradient(Gradient(function, Request(wrt=case.wrt), compiler=Interpreted)(*data()), case, count=3)
