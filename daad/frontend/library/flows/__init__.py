"""Solutions of ordinary differential equations, and their derivatives by the start, the times and what is in them."""
