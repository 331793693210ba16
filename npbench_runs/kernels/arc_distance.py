"""The angle between pairs of points on a sphere, by the haversine formula; theta is latitude, phi longitude."""

import numpy as np

SIZES = {
    "tiny": {"N": 7},
    "S": {"N": 100000},
    "M": {"N": 1000000},
    "L": {"N": 10000000},
    "paper": {"N": 10000000},
}
OUTPUT = None


def initialise(N):
    rng = np.random.default_rng(42)
    return rng.random(N), rng.random(N), rng.random(N), rng.random(N)


def kernel(theta_1, phi_1, theta_2, phi_2):
    north = np.sin(0.5 * (theta_2 - theta_1)) ** 2
    east = np.sin(0.5 * (phi_2 - phi_1)) ** 2
    haversine = north + np.cos(theta_1) * np.cos(theta_2) * east
    return 2.0 * np.arctan2(np.sqrt(haversine), np.sqrt(1.0 - haversine))
