"""What is said to the user while daad works: progress, sizes, what somebody may have meant."""
