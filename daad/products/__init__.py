"""Products with the Jacobian, forward and reverse: derivations beside that of the gradient."""
