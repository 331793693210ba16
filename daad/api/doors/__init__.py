"""Arguments of other libraries' types: the program computes with their values, gradients come back as they came."""
