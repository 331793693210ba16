"""The C++ that stands before every program for a GPU: NumPy's operations, teams of threads, the barrier of a grid."""

from __future__ import annotations

from daad.codegen.cpp.header_sections import ARITHMETIC, FUNCTIONS, OVERLOADS

_OPERATIONS = (OVERLOADS, ARITHMETIC.replace("explicit Reciprocal", "inline explicit Reciprocal"), FUNCTIONS)

BEGINNING = """
#include <cuda_runtime.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#ifndef __FMA__
#define __FMA__ 1
#endif
"""

CREWS = """
namespace daad {
struct Crew {  // the threads that share a step, and the blocks that they belong to
    uint32_t thread, threads, block, blocks;
};
__device__ inline Crew one_block() { return {threadIdx.x, blockDim.x, 0u, 1u}; }
__device__ inline Crew whole_grid() {
    return {blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, blockIdx.x, gridDim.x};
}
// All threads of a grid meet. Each takes a ticket by its block; the counter never goes back.
__device__ inline void wait_for_grid(unsigned long long* counter) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned long long ticket = atomicAdd(counter, 1ull);
        const unsigned long long last = (ticket / gridDim.x + 1) * gridDim.x;
        while (*(volatile unsigned long long*)counter < last) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}
template <typename T> __device__ inline T from_below(T x, int distance) {
    if constexpr (sizeof(T) < 4) return T(__shfl_down_sync(0xffffffffu, int(x), distance));
    else return __shfl_down_sync(0xffffffffu, x, distance);
}
// The values of a warp combined in a fixed order; the first thread has the result.
template <typename T, typename F> __device__ inline T warp_total(T x, F combine) {
    for (int distance = 16; distance > 0; distance /= 2) x = combine(x, from_below(x, distance));
    return x;
}
// The same for a block, by memory that it shares.
template <typename T, typename F> __device__ inline T block_total(T x, F combine, unsigned long long* shared) {
    T* parts = (T*)shared;
    x = warp_total(x, combine);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (uint32_t warp = 1; warp < blockDim.x / 32; ++warp) x = combine(x, parts[warp]);
    return x;
}
// What a block has of an update whose places data give: those that it owns, of so many points, in their order.
struct Desk {
    long long places[512];
    unsigned long long values[512];
    uint32_t counts[16];
};
// The values of a block's threads are added to their places, in the order of the threads; a thread without one has a
// negative place. The first of those with the same place takes all.
template <typename T, typename F>
__device__ inline void update_in_order(T* target, int64_t place, T value, F combine, Desk* desk) {
    const uint32_t lane = threadIdx.x % 32, own_warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint32_t all_lanes = __ballot_sync(0xffffffffu, place >= 0);
    if (lane == 0) desk->counts[own_warp] = __popc(all_lanes);
    __syncthreads();
    uint32_t slot = __popc(all_lanes & ((1u << lane) - 1)), count = 0;
    for (uint32_t warp = 0; warp < warps; ++warp) {
        slot += warp < own_warp ? desk->counts[warp] : 0;
        count += desk->counts[warp];
    }
    T* values = (T*)desk->values;
    if (place >= 0) {
        desk->places[slot] = place;
        values[slot] = value;
    }
    __syncthreads();
    if (threadIdx.x < count) {
        const int64_t own = desk->places[threadIdx.x];
        uint32_t first = 0;
        while (desk->places[first] != own) ++first;
        if (first == threadIdx.x) {
            T total = target[own];
            for (uint32_t k = first; k < count; ++k)
                if (desk->places[k] == own) total = combine(total, values[k]);
            target[own] = total;
        }
    }
    __syncthreads();
}
// The first index that is found outside of its axis is told: `found` has a flag, the index, the extent, the place.
__device__ inline int64_t checked(long long* found, int64_t index, int64_t extent, int64_t site) {
    if (uint64_t(index) < uint64_t(extent)) return index;
    if (atomicCAS((unsigned long long*)found, 0ull, 1ull) == 0ull) {
        found[1] = index;
        found[2] = extent;
        found[3] = site;
    }
    return 0;
}
}  // namespace daad
"""

DEVICE_HEADER = f"""{BEGINNING}
#pragma push_macro("inline")
#define inline __device__ inline
{"".join(_OPERATIONS)}
#pragma pop_macro("inline")
{CREWS}"""
"""All that kernels use."""
