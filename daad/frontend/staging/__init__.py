"""The Program under construction: staged values, what is known of them, where they are stored."""
