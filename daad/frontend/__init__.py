"""From what the user wrote (Python functions, scripts, DaCe programs, SDFGs) to a Program."""
