"""NVIDIA GPUs: the driver, what it tells, memory, arrays of other libraries, compiled programs; knows no Program."""
