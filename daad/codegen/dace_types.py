"""What daad adds to DaCe's schedules and kinds of memory; `daad.codegen.targets` generates code for them."""

from __future__ import annotations

from dace import dtypes

# A map whose iterations daad's threads share, in pieces of `omp_chunk_size` (0: as many as it takes to keep all busy),
# at most `omp_num_threads` at the same time (0: all there are).
TEAM = dtypes.ScheduleType.register("Daad_Team")
# A place in the one piece of memory that a library allocates when it starts: `location` says at which byte the array
# begins, and for an array that each thread has for itself where those of further threads are.
SCRATCH = dtypes.StorageType.register("Daad_Scratch")

dtypes.SCOPEDEFAULT_SCHEDULE[TEAM] = dtypes.ScheduleType.Sequential
dtypes.SCOPEDEFAULT_STORAGE[TEAM] = dtypes.StorageType.Register
BYTE, FURTHER, EACH = "byte", "byte_of_further_threads", "bytes_of_each"
"""The keys of `location`."""
