"""Surroundings that a user may have, and that must not lead to a wrong answer or a hang."""
