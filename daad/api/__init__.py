"""What users call: the functions of the interface, and the gradient that they return."""
