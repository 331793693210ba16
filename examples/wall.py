"""Find out what a wall is made of: a network proposes, physics answers, Adam learns.

A small network of torch's says how well the wall conducts heat at each depth. The heat equation, an ordinary NumPy
program, makes of it what a few thermometers in the wall should have read over two days while the weather changed
outside; daad gives torch the program as a layer with its derivative. Adam trains the network until the thermometers
agree.

    python examples/wall.py --picture wall.png
"""

import argparse

import numpy as np
import torch

import daad

CELLS, CELL = 30, 0.01  # of a centimetre each
CAPACITY = 1.5e6  # J / (m^3 K)
TIME_STEP = 30.0  # s; explicit Euler is stable up to CAPACITY CELL^2 / (2 conductivity), 37 s for 2 W / (m K)
STEPS_PER_HOUR = 120
INSIDE = 20.0  # degrees Celsius
THERMOMETERS = np.arange(2, CELLS, 3)


def thermometers(conductivity, outside, places):
    """What the thermometers read each hour: hours x places, in degrees; the wall begins as warm as the room."""
    temperature = np.full(conductivity.size + 2, INSIDE)
    between = 2.0 / (1.0 / conductivity[1:] + 1.0 / conductivity[:-1])
    faces = np.concatenate((conductivity[:1], between, conductivity[-1:]))
    readings = np.zeros((outside.size, places.size))
    for hour in range(outside.size):
        temperature[0] = outside[hour]
        for _ in range(STEPS_PER_HOUR):
            flux = faces * (temperature[1:] - temperature[:-1]) / CELL
            temperature[1:-1] += TIME_STEP / (CAPACITY * CELL) * (flux[1:] - flux[:-1])
        readings[hour] = temperature[1 + places]
    return readings


class Wall(torch.nn.Module):
    """The network before the physics."""

    def __init__(self, width=24):
        super().__init__()
        self.network = torch.nn.Sequential(
            torch.nn.Linear(1, width), torch.nn.Tanh(), torch.nn.Linear(width, 1)
        ).double()
        self.physics = daad.grad(thermometers, wrt="conductivity").as_torch()

    def conductivity(self):
        """At the middle of each cell, in W / (m K): between 0.02 and 2."""
        depth = torch.linspace(-3.0, 3.0, CELLS, dtype=torch.float64)[:, None]
        return 0.2 * 10.0 ** torch.tanh(0.5 * self.network(depth)[:, 0])

    def forward(self, outside):
        return self.physics(self.conductivity(), outside, THERMOMETERS)


def built():
    """The truth: brick, porous blocks, concrete."""
    depth = (np.arange(CELLS) + 0.5) * CELL
    return np.where(depth < 0.10, 0.8, np.where(depth < 0.18, 0.15, 1.6))


def weather(hours):
    """Cold nights, milder days."""
    return 2.0 + 6.0 * np.sin(2.0 * np.pi * np.arange(hours) / 24.0) + 2.0 * np.sin(0.9 * np.arange(hours))


def train(wall, outside, observed, iterations):
    """The mean squared error in degrees^2 before each iteration."""
    optimiser = torch.optim.Adam(wall.parameters(), lr=0.02)
    losses = []
    for _ in range(iterations):
        optimiser.zero_grad()
        loss = torch.mean((wall(outside) - observed) ** 2)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


def plot(wall, losses, path):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    centimetres = np.arange(CELLS) + 0.5
    left.step(centimetres, built(), where="mid", label="built")
    left.step(centimetres, wall.conductivity().detach().numpy(), where="mid", label="learned")
    left.set(xlabel="cm from outside", ylabel="W / (m K)", yscale="log")
    left.legend()
    right.semilogy(losses)
    right.set(xlabel="iteration of Adam", ylabel="mean squared error, K$^2$")
    figure.savefig(path, dpi=150)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hours", type=int, default=48)
    parser.add_argument("--iterations", type=int, default=600)
    parser.add_argument("--picture", help="write a plot to this file")
    options = parser.parse_args(arguments)

    torch.manual_seed(1978)
    outside = weather(options.hours)
    noise = 0.05 * np.random.default_rng(1978).standard_normal((options.hours, THERMOMETERS.size))
    observed = thermometers(built(), outside, THERMOMETERS) + noise
    wall = Wall()
    losses = train(wall, torch.from_numpy(outside), torch.from_numpy(observed), options.iterations)
    found = wall.conductivity().detach().numpy()
    layers = [float(np.exp(np.mean(np.log(found[part])))) for part in (slice(1, 9), slice(11, 17), slice(19, 29))]
    print(f"mean squared error: {losses[0]:.3f} -> {losses[-1]:.4f} K^2, of which noise is {np.mean(noise**2):.4f}")
    print("W / (m K): brick {:.2f} for 0.80, blocks {:.3f} for 0.150, concrete {:.2f} for 1.60".format(*layers))
    if options.picture:
        plot(wall, losses, options.picture)
    return {"losses": losses, "layers": layers}


if __name__ == "__main__":
    main()
