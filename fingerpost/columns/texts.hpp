// Parses one text to an address with the instruction set that this file is compiled for: the class texts.
//
//     texts()                 constants that a loop keeps in registers
//     parse(text, out, out)   returns the family of the address that it wrote, or bad
//     complete                true if bad is final; otherwise parse_text() decides
#pragma once

#if FINGERPOST_KERNELS_FOR_AVX512
// More than the project's AVX-512 subset: kernels_of() asks the CPU.
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
