// The choice between kernels, for tests and benchmarks.
#ifndef FINGERPOST_CUDA_KERNELS_H
#define FINGERPOST_CUDA_KERNELS_H

#include "gpu/fingerpost_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FINGERPOST_CUDA_FIND = 0, // the default: every thread calls the scheme's find()
    FINGERPOST_CUDA_OWN = 1   // the scheme's own kernel (own_kernel in gpu/lookup.hpp)
};

// Chooses the kernel for later lookups, also after updates. A family of addresses whose scheme has no kernel
// of its own keeps find(); FINGERPOST_CUDA_UNSUPPORTED if this holds for all families of the table.
int fingerpost_cuda_choose_kernel(fingerpost_cuda_table* table, int kernel);

#ifdef __cplusplus
}
#endif
#endif
