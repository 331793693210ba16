"""Draw a gradient that `daad grad examples/terrain.py --save` wrote, over the hill-shaded terrain.

python examples/plot_gradient.py build/demo/terrain.npz --name k --out build/demo/terrain.png
"""

import argparse

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LightSource
from terrain import load_terrain

TITLES = {
    "k": "where softer rock would raise (red) or lower (blue) the misfit",
    "z": "where higher ground today would raise (red) or lower (blue) the misfit",
}
UNITS = {"k": "d misfit / d erodibility, m$^2$ / (m$^2$ per year)", "z": "d misfit / d elevation, m$^2$ / m"}


def draw(gradient, name, path):
    z, dx, dy = load_terrain()
    stride = -(-z.shape[0] // gradient.shape[0])
    z, dx, dy = load_terrain(stride)
    extent = (0.0, z.shape[1] * dx / 1000.0, 0.0, z.shape[0] * dy / 1000.0)
    shade = LightSource(azdeg=315, altdeg=45).hillshade(z, vert_exag=3.0, dx=dx, dy=dy)
    limit = np.percentile(np.abs(gradient), 99.5)

    figure, axes = plt.subplots(figsize=(9, 7), layout="constrained")
    axes.imshow(shade, cmap="gray", extent=extent)
    image = axes.imshow(gradient, cmap="RdBu_r", vmin=-limit, vmax=limit, alpha=0.6, extent=extent)
    figure.colorbar(image, label=UNITS.get(name, f"d misfit / d {name}"), shrink=0.8)
    axes.set(title=TITLES.get(name, name), xlabel="km east", ylabel="km north")
    figure.savefig(path, dpi=150)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("gradients", help="the .npz file of 'daad grad --save'")
    parser.add_argument("--name", default="k", help="which of the gradients")
    parser.add_argument("--out", default="terrain.png", help="the picture")
    options = parser.parse_args(arguments)
    with np.load(options.gradients) as gradients:
        draw(gradients[options.name], options.name, options.out)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
