"""What NumPy's views and Python's names share: who still holds a value, and whether a write shows in it."""
