"""What is computed, copied, stored or filled for nothing goes."""
