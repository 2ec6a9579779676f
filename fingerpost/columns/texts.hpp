// One text to an address, for the instruction set that this file is compiled for: the class texts.
//
//     texts()                 constants that a loop keeps in registers
//     parse(text, out, out)   the family of the address that it wrote, or bad
//     complete                whether bad is the last word; if not, the text is for parse_text()
#pragma once

#if FINGERPOST_KERNELS_FOR_AVX512
// Beyond the project's AVX-512: kernels_of() asks the CPU.
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
