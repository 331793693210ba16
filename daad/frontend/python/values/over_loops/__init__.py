"""What stands for lists and arrays while the body of a loop is read."""
