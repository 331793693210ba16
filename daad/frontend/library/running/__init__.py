"""What runs a program's functions, or shows how far they are, without a part in what they compute."""
