"""What a machine is taken to be like: its caches, and from when on threads are worth it."""

LINE = 64
"""Bytes that come into a cache together."""

NEAREST, CACHE, COMMON = 2**15, 3 * 2**18, 2**23
"""Bytes that a stretch of a program may count on: next to the core, near it, and in the cache that cores have in
common."""

UNKNOWN_TRIPS = 16
"""Iterations of a loop whose bounds are computed."""

WORTH_THREADS = 1_000_000
"""Elementary operations from which on threads share a nest: some 30 microseconds of one thread. Starting and joining
threads costs one or two on a quiet machine, but as much as that where other processes want the processors."""

WORTH_THREADS_SECONDS = 300e-6
"""The same for loops whose iterations are more than one nest, whose time is estimated."""
