"""How nests run: what becomes a map, a loop, a vector, a recurrence; where elements lie."""
