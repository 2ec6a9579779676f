// The choice between kernels, for tests and benchmarks.
#ifndef FINGERPOST_CUDA_KERNELS_H
#define FINGERPOST_CUDA_KERNELS_H

#include "gpu/fingerpost_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FINGERPOST_CUDA_FIND = 0,   // the default: every thread calls the scheme's find()
    FINGERPOST_CUDA_SHARED = 1, // the first levels are in shared memory: packed_leaves
    FINGERPOST_CUDA_GROUPS = 2  // threads read a node together: packed_leaves, planb
};

// Chooses the kernel for later lookups, also after updates. A family of addresses that has no such kernel
// keeps find(). FINGERPOST_CUDA_UNSUPPORTED if this holds for all families of the table.
int fingerpost_cuda_choose_kernel(fingerpost_cuda_table* table, int kernel);

#ifdef __cplusplus
}
#endif
#endif
