"""What is differentiated, with which arguments, and what is asked of it."""
