"""Keeps what docs/pictures.js took, in docs/images: each page and report in light and dark, pages in few colours.

python docs/keep_pictures.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

IMAGES = Path(__file__).parent / "images"
COLOURS = 64
REPORTS = {
    "report_light_1200_line": "report_light",
    "report_dark_1200_joint": "report_dark",
    "report_light_1200_joint": "report_dataflow",
    "report_dark_1200_stage": "report_stages",
    "report_light_1200_memory": "report_memory",
    "report_light_400": "report_narrow",
}


def kept(name: str) -> str | None:
    """What a picture is called in docs/images; None if it is not kept."""
    if name.startswith("report_"):
        return REPORTS.get(name)
    page, scheme, *rest = name.rsplit("_", 2)
    return f"site_{page}_{scheme}" if rest == ["1200"] else None


def main() -> None:
    for path in sorted(Path(sys.argv[1]).glob("*.png")):
        if name := kept(path.stem):
            picture = Image.open(path).convert("RGB")
            if name not in REPORTS.values():  # their colours mean something
                picture = picture.quantize(COLOURS, dither=Image.Dither.NONE)
            picture.save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
