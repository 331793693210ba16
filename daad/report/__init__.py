"""What daad tells about a gradient: tables and texts."""
