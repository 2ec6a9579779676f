// Lookups on a GPU: longest-prefix match in a table that was uploaded to a device from an image.
//
// Upload. An image (fingerpost_save_image() in fingerpost.h, `fingerpost image`) holds a table of one address
// family, or one of each. Its checks are those of any opened image. The scheme of the image must be a
// standard one; its own lookup runs on the device.
//
// Errors. Functions return FINGERPOST_CUDA_OK (0) or one of the positive codes below. fingerpost_cuda_error()
// returns the reason as text. A call that fails changes nothing, except that results may be incomplete. No
// function prints, exits or throws.
//
// Addresses and results. An IPv4 address is a uint32_t in host order, aligned to 4 bytes. An IPv6 address is
// 16 bytes in network order, aligned to 8 bytes. A result is a next hop, or FINGERPOST_CUDA_NO_ROUTE,
// also for addresses of a family that the image does not have.
//
// Threads. Any thread may call any function, but no call on a table may overlap fingerpost_cuda_close().
// Every function restores the current device of the calling thread.
#ifndef FINGERPOST_CUDA_H
#define FINGERPOST_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Result of a lookup when no route matches.
#define FINGERPOST_CUDA_NO_ROUTE UINT32_MAX

enum {
    FINGERPOST_CUDA_OK = 0,
    FINGERPOST_CUDA_OUT_OF_MEMORY = 1, // an allocation failed, on the host or on the device
    FINGERPOST_CUDA_UNSUPPORTED = 2,   // the scheme of the image has no kernel
    FINGERPOST_CUDA_INVALID = 3,       // an argument is not valid for the function
    FINGERPOST_CUDA_IMAGE = 4,         // the file or the bytes are not a valid image
    FINGERPOST_CUDA_DEVICE = 5         // CUDA reported an error
};

// A table on one device.
typedef struct fingerpost_cuda_table fingerpost_cuda_table;

// Sets `*count` to the number of devices. A machine without a driver has none, which is not an error.
int fingerpost_cuda_devices(int* count);

// Properties of a device, for reports of measurements.
typedef struct {
    char name[256];
    int compute_major; // compute capability: 9 and 0 for an H100
    int compute_minor;
    int multiprocessors;
    int clock_khz;       // highest clock of the multiprocessors
    int cuda_version;    // newest that the driver supports; 13020 is 13.2
    size_t memory_bytes; // of the device
    size_t l2_bytes;
} fingerpost_cuda_properties;

int fingerpost_cuda_describe(int device, fingerpost_cuda_properties* out);

// Uploads an image to a device, numbered from 0. The file or memory is not needed afterwards.
int fingerpost_cuda_open(const char* image_path, int device, fingerpost_cuda_table** out);
int fingerpost_cuda_upload(const void* image, size_t bytes, int device, fingerpost_cuda_table** out);

// Replaces the table by another image in one step. Lookups that were called before use the old table to their
// end, and later ones the new table. Only blocks that differ from the old table are uploaded; the device
// copies the others. For this, the table keeps a copy of its arrays on the host, and after an update the
// memory of the old table for the next one. The update that follows a failed one may upload everything.
int fingerpost_cuda_update(fingerpost_cuda_table* table, const void* image, size_t bytes);

// Looks up `count` addresses of 32 or 128 bits, from one array in the memory of the device to another.
// Returns when the lookup is in `stream` (a cudaStream_t, or null for the default stream), before it has run.
int fingerpost_cuda_lookup(fingerpost_cuda_table* table, int address_bits, const void* addresses,
                           uint32_t* next_hops, size_t count, void* stream);

// Looks up addresses in the memory of the host, and returns when all results are written. Copies overlap with
// lookups. Memory from cudaMallocHost() is copied directly, other memory through buffers of the table.
int fingerpost_cuda_lookup_host(fingerpost_cuda_table* table, int address_bits, const void* addresses,
                                uint32_t* next_hops, size_t count);

// Allocates page-locked memory of the host, as cudaMallocHost() does. Zero bytes give a null pointer.
int fingerpost_cuda_allocate_pinned(size_t bytes, void** out);

// Frees memory of fingerpost_cuda_allocate_pinned(). Null has no effect.
int fingerpost_cuda_release_pinned(void* memory);

// Size of the table in the memory of the device, without buffers: the current version, older ones with
// lookups that may still run, and memory that is kept for the next update. 0 for a null table.
size_t fingerpost_cuda_memory_bytes(const fingerpost_cuda_table* table);

// Number of bytes that the upload, or the last update that succeeded, copied from the host to the device. 0
// for a null table.
size_t fingerpost_cuda_uploaded_bytes(const fingerpost_cuda_table* table);

// Reason of the last failed call of this thread, with the text of CUDA. Valid until its next failed call.
const char* fingerpost_cuda_error(void);

// Waits for the lookups in the table, and frees it. Null is ignored.
void fingerpost_cuda_close(fingerpost_cuda_table* table);

#ifdef __cplusplus
}
#endif

#endif
