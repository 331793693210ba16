"""Functions of complex numbers, by functions of real ones."""
