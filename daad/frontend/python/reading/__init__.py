"""The reader's surroundings: names, variables, and what the program took from outside."""
