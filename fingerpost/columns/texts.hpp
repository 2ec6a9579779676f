// The class texts: parses one text to an address with the instruction set that this file is compiled for.
//
//     texts()                 constants that a loop keeps in registers
//     parse(text, out, out)   writes an address and returns its family, or returns bad
//     complete                true if bad is final; otherwise parse_text() decides
#pragma once

#if FINGERPOST_KERNELS_FOR_AVX512
// These extensions are not in the project's AVX-512 subset, so kernels_of() checks the CPU for them.
#define FINGERPOST_TEXTS_TARGET __attribute__((target("avx512vbmi,avx512vbmi2")))
#include "fingerpost/columns/texts_vbmi2.hpp"
#else
#define FINGERPOST_TEXTS_TARGET
#if FINGERPOST_KERNELS_FOR_AVX2
#include "fingerpost/columns/texts_avx2.hpp"
#else
#include "fingerpost/columns/texts_scalar.hpp"
#endif
#endif
