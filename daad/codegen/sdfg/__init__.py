"""A Program as an SDFG: its states, its control flow, its library calls."""
