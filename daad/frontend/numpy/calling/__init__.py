"""How NumPy's functions are called: signatures, static arguments, NumPy's own errors."""
