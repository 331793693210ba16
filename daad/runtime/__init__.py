"""Compiled programs: their libraries, the cache on disk, the memory they take; it knows no Program."""
