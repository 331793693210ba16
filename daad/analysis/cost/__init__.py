"""What a program costs: time on a machine, and memory."""
