"""Values that are no arrays: objects, iterators, lists and texts."""
