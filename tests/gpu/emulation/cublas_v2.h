// What generated programs use of cuBLAS, for a CPU: matrices are kept by columns, scales lie in memory.
#pragma once
#include "cuda_runtime.h"

typedef struct Handle* cublasHandle_t;
typedef int cublasStatus_t;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    void* memory = nullptr;
    const int code = cudaMalloc(&memory, 1);
    *handle = (cublasHandle_t)memory;
    return code;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) { return cudaFree(handle); }
inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return 0; }
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t mode) {
    return mode == CUBLAS_POINTER_MODE_DEVICE ? 0 : 7;
}

namespace emulation {
template <typename T>
int gemm(cublasOperation_t left_as, cublasOperation_t right_as, int m, int n, int k, const T* alpha, const T* left,
         int left_lead, const T* right, int right_lead, const T* beta, T* target, int target_lead) {
    const int least_left = left_as == CUBLAS_OP_N ? m : k, least_right = right_as == CUBLAS_OP_N ? k : n;
    if (m < 0 || n < 0 || k < 0 || left_lead < least_left || right_lead < least_right || target_lead < m) return 7;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            T sum = 0;
            for (int p = 0; p < k; ++p)
                sum += left[left_as == CUBLAS_OP_N ? i + size_t(p) * left_lead : p + size_t(i) * left_lead] *
                       right[right_as == CUBLAS_OP_N ? p + size_t(j) * right_lead : j + size_t(p) * right_lead];
            T& place = target[i + size_t(j) * target_lead];
            place = *alpha * sum + *beta * place;
        }
    return 0;
}
template <typename T>
int batched(cublasOperation_t left_as, cublasOperation_t right_as, int m, int n, int k, const T* alpha, const T* left,
            int left_lead, long long left_step, const T* right, int right_lead, long long right_step, const T* beta,
            T* target, int target_lead, long long target_step, int count) {
    if (target_step == 0 && count > 1) return 7;
    for (int b = 0; b < count; ++b)
        if (int code = gemm(left_as, right_as, m, n, k, alpha, left + b * left_step, left_lead, right + b * right_step,
                            right_lead, beta, target + b * target_step, target_lead))
            return code;
    return 0;
}
}  // namespace emulation

#define EMULATED_PRODUCT(letter, T)                                                                                  \
    inline cublasStatus_t cublas##letter##gemm(cublasHandle_t, cublasOperation_t a, cublasOperation_t b, int m, int n, \
                                               int k, const T* alpha, const T* x, int lx, const T* y, int ly,         \
                                               const T* beta, T* z, int lz) {                                        \
        return emulation::gemm(a, b, m, n, k, alpha, x, lx, y, ly, beta, z, lz);                                      \
    }                                                                                                                \
    inline cublasStatus_t cublas##letter##gemmStridedBatched(                                                        \
        cublasHandle_t, cublasOperation_t a, cublasOperation_t b, int m, int n, int k, const T* alpha, const T* x,     \
        int lx, long long sx, const T* y, int ly, long long sy, const T* beta, T* z, int lz, long long sz, int count) { \
        return emulation::batched(a, b, m, n, k, alpha, x, lx, sx, y, ly, sy, beta, z, lz, sz, count);                \
    }
EMULATED_PRODUCT(D, double)
EMULATED_PRODUCT(S, float)
