// What generated programs use of CUDA, for a CPU: each thread of a kernel is a fiber (emulation.cpp).
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(n)
#define __shared__ static __attribute__((section("emulated_shared")))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct Index {
    unsigned x;
};
typedef struct Stream* cudaStream_t;
typedef int cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };

namespace emulation {
extern Index places[4];
void shuffle(const void* mine, void* theirs, size_t size, int distance);
}  // namespace emulation

#define threadIdx emulation::places[0]
#define blockIdx emulation::places[1]
#define blockDim emulation::places[2]
#define gridDim emulation::places[3]
#define __nanosleep emulation_nanosleep  // which is a name of the C library, too

extern "C" {
void __syncthreads();
void __threadfence();
void emulation_nanosleep(unsigned);
cudaError_t cudaMalloc(void**, size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMemset(void*, int, size_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);
const char* cudaGetErrorString(cudaError_t);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, size_t);
unsigned long long atomicAdd(unsigned long long*, unsigned long long);
unsigned long long atomicCAS(unsigned long long*, unsigned long long, unsigned long long);

inline unsigned __popc(unsigned bits) { return __builtin_popcount(bits); }
inline unsigned __ballot_sync(unsigned, bool mine) {
    unsigned found = mine, others;
    for (int distance = 16; distance > 0; distance /= 2) {
        emulation::shuffle(&found, &others, sizeof found, distance);
        found |= others << distance;
    }
    emulation::shuffle(&found, &others, sizeof found, -int(threadIdx.x % 32));  // all from the first
    return others;
}
template <typename T> T __shfl_down_sync(unsigned, T mine, int distance) {
    T theirs;
    emulation::shuffle(&mine, &theirs, sizeof(T), distance);
    return theirs;
}
