"""The C++ of tasklets and of what stands before them."""
