"""The frontend for plain NumPy functions and scripts."""
