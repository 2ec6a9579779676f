// Device memory for language bindings: results, streams and the gathering of values
// (python/fingerpost/_cuda).
//
// Functions return 0, or an error code whose reason fingerpost_cuda_error() describes. Streams are CUDA
// stream handles: 0 and 1 are the legacy default stream, 2 is the per-thread default stream.
#ifndef FINGERPOST_CUDA_ARRAYS_H
#define FINGERPOST_CUDA_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// For the argument `address_bits` of fingerpost_cuda_lookup() and fingerpost_cuda_lookup_host(): IPv6
// addresses as two 64-bit numbers in the machine's byte order, the high half first. 16 bytes per address,
// aligned to 8.
#define FINGERPOST_CUDA_IPV6_HALVES 64

// Python relies on this: a lookup of addresses of a family that the image lacks is not an error. All its
// results are FINGERPOST_CUDA_NO_ROUTE, as in a table without routes, because an update may add or remove a
// family.

// Allocates device memory, aligned to 256 bytes. Zero bytes give a null pointer.
int fingerpost_cuda_allocate(int device, size_t bytes, void** out);

// Frees memory of fingerpost_cuda_allocate() after all work on the device that may use it. Null has no
// effect.
int fingerpost_cuda_release(int device, void* memory);

// Copies between host and device memory, or within a device, in the order of the stream. Returns when it is
// done.
int fingerpost_cuda_copy(int device, void* to, const void* from, size_t bytes, void* stream);

// Makes later work on `second` wait for the work that `first` has now. Does not block the host.
int fingerpost_cuda_order(int device, void* first, void* second);

// Stores the device of a pointer; -1 for host memory that no kernel can read.
int fingerpost_cuda_device_of(const void* memory, int* device);

// Writes items[next_hops[i]] to out[i] for each i below `count`, or the item at `missing`, in host memory, if
// next_hops[i] is not below `item_count`. Items have 1, 2, 4 or 8 bytes. All other arrays are on the device.
int fingerpost_cuda_gather(int device, const void* items, size_t item_bytes, size_t item_count,
                           const void* missing, const uint32_t* next_hops, void* out, size_t count,
                           void* stream);

#ifdef __cplusplus
}
#endif
#endif
