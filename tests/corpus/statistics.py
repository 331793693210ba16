"""Statistics and time series: likelihoods, filters, regressions, resampling with fixed numbers."""

from __future__ import annotations

import math
import statistics

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def gaussian_mixture(x, means, log_scales, logits):
    """Log likelihood of a one-dimensional mixture."""
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    z = (x[:, None] - means[None, :]) / np.exp(log_scales)
    log_density = -0.5 * z**2 - log_scales - 0.5 * np.log(2 * np.pi) + log_weights
    m = np.max(log_density, axis=1, keepdims=True)
    return np.sum(m[:, 0] + np.log(np.sum(np.exp(log_density - m), axis=1)))


def gaussian_mixture_by_loops(x, means, factors, weights):
    """Two-dimensional mixture with triangular inverse covariances, by loops."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        density = 0.0
        for k in range(len(weights)):
            exponent = 0.0
            for r in range(d):
                y = 0.0
                for c in range(r + 1):
                    y += factors[k, r, c] * (x[i, c] - means[k, c])
                exponent += y * y
            determinant = factors[k, 0, 0] * factors[k, 1, 1]
            density += weights[k] * determinant * math.exp(-0.5 * exponent)
        total += math.log(density)
    return total / n


def hidden_markov_forward(transition, emission, initial, observations):
    """Scaled forward algorithm with integer observations."""
    A = transition / transition.sum(axis=1, keepdims=True)
    B = emission / emission.sum(axis=1)[:, None]
    alpha = initial / initial.sum() * B[:, observations[0]]
    log_likelihood = 0.0
    for t in range(1, len(observations)):
        scale = alpha.sum()
        log_likelihood += np.log(scale)
        alpha = (alpha / scale) @ A * B[:, observations[t]]
    return log_likelihood + np.log(alpha.sum())


def viterbi_score(transition, emission, observations):
    """The best path's score; the maximum chooses."""
    score = emission[:, observations[0]].copy()
    for t in range(1, len(observations)):
        candidates = score[:, np.newaxis] + transition
        score = np.max(candidates, axis=0) + emission[:, observations[t]]
    return np.max(score)


def kalman_filter(measurements, transition, noise, measurement_noise):
    """Constant-velocity filter with a scalar measurement; the loss is the innovation likelihood."""
    x = np.zeros(2)
    P = np.eye(2)
    H = np.array([1.0, 0.0])
    likelihood = 0.0
    for z in measurements:
        x = transition @ x
        P = transition @ P @ transition.T + noise * np.eye(2)
        innovation = z - H @ x
        S = H @ P @ H + measurement_noise
        K = P @ H / S
        x = x + K * innovation
        P = P - np.outer(K, H @ P)
        likelihood += 0.5 * (np.log(S) + innovation**2 / S)
    return likelihood


def scalar_kalman_smoother(y, q, r):
    """Local-level model, forward filter and backward smoother."""
    n = len(y)
    mean = np.zeros(n)
    var = np.zeros(n)
    m, p = y[0], r
    for t in range(n):
        p_pred = p + q if t > 0 else p
        gain = p_pred / (p_pred + r)
        m = m + gain * (y[t] - m)
        p = (1 - gain) * p_pred
        mean[t] = m
        var[t] = p
    smooth = mean.copy()
    for t in reversed(range(n - 1)):
        c = var[t] / (var[t] + q)
        smooth[t] = mean[t] + c * (smooth[t + 1] - mean[t])
    return np.sum((smooth - y) ** 2) + np.sum(smooth[1:] * smooth[:-1])


def logistic_regression(X, y, weights, bias, penalty=0.1):
    """Negative log likelihood with labels 0 and 1."""
    z = X @ weights + bias
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + penalty * np.sum(weights**2)


def gradient_descent_regression(X, y, rate, steps):
    """The loss after a few steps: differentiates through the optimiser."""
    w = np.zeros(X.shape[1])
    for _ in range(steps):
        residual = X @ w - y
        w -= rate * X.T @ residual / len(y)
    return np.mean((X @ w - y) ** 2)


def correlation_matrix(data):
    """Standardised columns, double loop over pairs."""
    n, m = data.shape
    mean = data.mean(axis=0)
    deviation = np.sqrt(((data - mean) ** 2).sum(axis=0) / n)
    z = (data - mean) / (deviation * math.sqrt(n))
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i + 1 : m, i] = corr[i, i + 1 : m] = z[:, i] @ z[:, i + 1 : m]
    return np.sum(corr**3)


def covariance_by_loops(data):
    """Upper triangle computed and mirrored."""
    n, m = data.shape
    mean = np.zeros(m)
    for j in range(m):
        mean[j] = np.sum(data[:, j]) / n
    data = data - mean
    cov = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            cov[i, j] = np.dot(data[:, i], data[:, j]) / (n - 1)
            cov[j, i] = cov[i, j]
    return np.sum(cov * cov)


def weighted_products_by_rows(data, degrees):
    """A symmetric matrix written a row and a column at a time, with a divisor that is differentiated too."""
    m = data.shape[1]
    products = np.zeros((m, m))
    for i in range(m):
        products[i:, i] = products[i, i:] = data[:, i] @ data[:, i:] / (degrees + 0.5)
    return np.sum(products * products[::-1])


def autoregressive_moving_average(y, phi, theta):
    """Conditional sum of squares of an ARMA(2, 1)."""
    errors = np.zeros(len(y))
    for t in range(2, len(y)):
        errors[t] = y[t] - phi[0] * y[t - 1] - phi[1] * y[t - 2] - theta * errors[t - 1]
    return np.sum(errors**2)


def garch_likelihood(returns, omega, alpha, beta):
    """Volatility recursion and Gaussian likelihood."""
    variance = np.var(returns)
    likelihood = 0.0
    for r in returns:
        likelihood += 0.5 * (np.log(2 * np.pi * variance) + r**2 / variance)
        variance = omega + alpha * r**2 + beta * variance
    return likelihood


def holt_winters(series, level, trend, season):
    """Additive seasonal smoothing with period three."""
    period = 3
    l, b = series[0], series[1] - series[0]
    seasonal = np.zeros(len(series) + period)
    error = 0.0
    for t in range(len(series)):
        forecast = l + b + seasonal[t]
        error += (series[t] - forecast) ** 2
        previous = l
        l = level * (series[t] - seasonal[t]) + (1 - level) * (l + b)
        b = trend * (l - previous) + (1 - trend) * b
        seasonal[t + period] = season * (series[t] - l) + (1 - season) * seasonal[t]
    return error


def kernel_density(points, queries, bandwidth):
    """Log of a kernel estimate at some points."""
    estimate = np.zeros(len(queries))
    for i, q in enumerate(queries):
        u = (q - points) / bandwidth
        estimate[i] = np.mean(np.exp(-0.5 * u * u)) / (bandwidth * math.sqrt(2 * math.pi))
    return np.sum(np.log(estimate))


def gaussian_process(x, y, length, noise):
    """Log marginal likelihood with an own Cholesky factorisation and substitution."""
    n = len(x)
    K = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / length**2) + noise * np.eye(n)
    L = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = K[i, j] - np.dot(L[i, :j], L[j, :j])
            if i == j:
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    z = np.zeros(n)
    for i in range(n):
        z[i] = (y[i] - L[i, :i] @ z[:i]) / L[i, i]
    return 0.5 * np.sum(z**2) + np.sum(np.log(np.diag(L)))


def huber_regression(X, y, w, delta):
    """Robust loss by where."""
    r = y - X @ w
    small = np.abs(r) <= delta
    return np.sum(np.where(small, 0.5 * r**2, delta * (np.abs(r) - 0.5 * delta)))


def k_means_distortion(points, centres):
    """Hard assignment by the nearest centre."""
    total = 0.0
    for i in range(points.shape[0]):
        best = np.sum((points[i] - centres[0]) ** 2)
        for k in range(1, centres.shape[0]):
            d = np.sum((points[i] - centres[k]) ** 2)
            if d < best:
                best = d
        total += best
    return total


def stochastic_volatility_paths(mu, sigma, shocks):
    """Euler-Maruyama with given shocks: a pathwise sensitivity."""
    price = np.ones(shocks.shape[1])
    dt = 1.0 / shocks.shape[0]
    running = np.zeros_like(price)
    for t in range(shocks.shape[0]):
        price = price * (1 + mu * dt + sigma * math.sqrt(dt) * shocks[t])
        running += price * dt
    return np.mean(np.maximum(running - 0.95, 0.0))


def poisson_mixed_model(counts, exposure, effects, groups, scale):
    """Counts with group effects: a gather in the predictor, a prior on the effects."""
    rate = exposure * np.exp(effects[groups])
    return np.sum(rate - counts * np.log(rate)) + np.sum(effects**2) / (2 * scale**2) + len(effects) * np.log(scale)


def gaussian_process_by_solvers(x, y, length, noise):
    """The marginal likelihood with NumPy's Cholesky factor, and the prediction at new points."""
    covariance = np.exp(-0.5 * ((x[:, None] - x) / length) ** 2) + noise**2 * np.eye(len(x))
    factor = np.linalg.cholesky(covariance)
    weights = np.linalg.solve(factor.T, np.linalg.solve(factor, y))
    return 0.5 * y @ weights + np.sum(np.log(np.diag(factor))) + 0.5 * len(x) * np.log(2 * np.pi)


def kalman_filter_of_matrices(measurements, transition, observation, noise, measurement_noise):
    """Prediction and correction with gains from the inverse of the innovation's covariance."""
    state, covariance, loss = np.zeros(len(transition)), np.eye(len(transition)), 0.0
    for measured in measurements:
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise * np.eye(len(state))
        innovation = measured - observation @ state
        spread = observation @ covariance @ observation.T + measurement_noise * np.eye(len(measured))
        gain = covariance @ observation.T @ np.linalg.inv(spread)
        state = state + gain @ innovation
        covariance = (np.eye(len(state)) - gain @ observation) @ covariance
        loss += innovation @ np.linalg.solve(spread, innovation) + np.linalg.slogdet(spread)[1]
    return loss


def multivariate_normal(x, mean, spread):
    """The density with a determinant and an inverse, as in textbooks."""
    covariance = spread @ spread.T + np.eye(len(mean))
    scale = 1.0 / np.sqrt((2 * np.pi) ** len(mean) * np.linalg.det(covariance))
    d = x - mean
    return np.sum(np.log(scale * np.exp(-0.5 * np.sum(d @ np.linalg.inv(covariance) * d, axis=1))))


def robust_location(data, weights, share):
    """A trimmed mean of weighted data, in units of the median's absolute deviation."""
    values = np.sort(data * weights)
    cut = int(0.2 * len(values))
    deviation = np.median(np.abs(values - np.median(values)))
    return np.mean(values[cut:-cut]) / deviation + np.quantile(values, share)


def concordance(scores, times):
    """Partial likelihood of Cox: each event against all that come after it in time."""
    order = np.argsort(-times)
    ordered = scores[order]
    return np.sum(ordered - np.log(np.cumsum(np.exp(ordered))))


def labels(n):
    return (np.arange(n) % 3 == 0).astype(np.float64)


OBSERVED = np.array([0, 2, 1, 1, 0, 2])
GROUPS = np.array([0, 1, 2, 1, 0, 2])
MOTION = np.array([[1.0, 0.3], [0.05, 0.9]])


def of_pythons_library(x, w):
    xs, ws = list(x), [v * v for v in w]
    middle = statistics.median(xs) + statistics.median_low(ws) * statistics.median_high(x)
    spread = statistics.pvariance(xs) + statistics.variance(x, 0.3) + statistics.stdev(ws) * statistics.pstdev(w)
    centre = statistics.mean(xs) + statistics.fmean(x, ws) * statistics.fmean(v for v in w)
    centre += statistics.harmonic_mean(ws) * statistics.geometric_mean(w * w)
    line = statistics.linear_regression(xs, ws)
    through = statistics.linear_regression(x, w, proportional=True)
    together = statistics.covariance(x, w) + statistics.correlation(xs, ws)
    return middle * spread + centre + line.slope * line.intercept + together + through.slope


CASES = (
    row(of_pythons_library, lambda: (normal(21, 6), normal(22, 6)), "x, w"),
    row(
        gaussian_mixture,
        lambda: (normal(1, 7), normal(2, 3), 0.3 * normal(3, 3), normal(4, 3)),
        "x, means, log_scales, logits",
    ),
    row(
        gaussian_mixture_by_loops,
        lambda: (normal(1, 4, 2), normal(2, 2, 2), uniform(3, 2, 2, 2), uniform(4, 2)),
        "x, means, factors, weights",
    ),
    row(
        hidden_markov_forward,
        lambda: (uniform(1, 3, 3), uniform(2, 3, 3), uniform(3, 3), OBSERVED.copy()),
        "transition, emission, initial",
    ),
    row(viterbi_score, lambda: (normal(1, 3, 3), normal(2, 3, 3), OBSERVED.copy()), "transition, emission"),
    row(
        kalman_filter,
        lambda: (normal(1, 6), MOTION.copy(), 0.2, 0.5),
        "measurements, transition, noise, measurement_noise",
    ),
    row(scalar_kalman_smoother, lambda: (normal(1, 7), 0.3, 0.8), "y, q, r"),
    row(logistic_regression, lambda: (normal(1, 6, 3), labels(6), normal(2, 3), 0.2), "X, weights, bias"),
    row(gradient_descent_regression, lambda: (normal(1, 6, 3), normal(2, 6), 0.2, 5), "X, y, rate"),
    *(row(f, lambda: (normal(1, 6, 4),), "data") for f in (correlation_matrix, covariance_by_loops)),
    row(weighted_products_by_rows, lambda: (normal(1, 5, 4), 3.0), "data, degrees"),
    row(autoregressive_moving_average, lambda: (normal(1, 8), np.array([0.5, -0.3]), 0.4), "y, phi, theta"),
    row(garch_likelihood, lambda: (normal(1, 7), 0.2, 0.3, 0.5), "returns, omega, alpha, beta"),
    row(holt_winters, lambda: (normal(1, 8), 0.4, 0.3, 0.2), "series, level, trend, season"),
    row(kernel_density, lambda: (normal(1, 6), normal(2, 4), 0.6), "points, queries, bandwidth"),
    row(gaussian_process, lambda: (spread(1, 6, step=0.5), normal(2, 6), 0.7, 0.3), "x, y, length, noise"),
    row(gaussian_process_by_solvers, lambda: (spread(1, 6, step=0.5), normal(2, 6), 0.7, 0.3), "x, y, length, noise"),
    row(
        kalman_filter_of_matrices,
        lambda: (normal(1, 5, 2), normal(2, 3, 3), normal(3, 2, 3), 0.3, 0.4),
        "measurements, transition, observation, noise, measurement_noise",
    ),
    row(multivariate_normal, lambda: (normal(1, 5, 3), normal(2, 3), normal(3, 3, 3)), "x, mean, spread"),
    row(robust_location, lambda: (spread(1, 11), uniform(2, 11), 0.33), "data, weights, share"),
    row(concordance, lambda: (normal(1, 7), spread(2, 7)), "scores"),
    row(huber_regression, lambda: (normal(1, 6, 3), normal(2, 6), normal(3, 3), 0.8), "X, y, w, delta"),
    row(k_means_distortion, lambda: (normal(1, 6, 2), normal(2, 3, 2)), "points, centres"),
    row(stochastic_volatility_paths, lambda: (0.1, 0.4, normal(1, 4, 5)), "mu, sigma, shocks"),
    row(
        poisson_mixed_model,
        lambda: (np.array([1, 0, 3, 2, 1, 4]), uniform(1, 6), normal(2, 3), GROUPS.copy(), 0.9),
        "exposure, effects, scale",
    ),
)
