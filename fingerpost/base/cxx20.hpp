// Reports that C++20 is required. Without this header, a compiler for an older standard would first complain
// about details. Each header that includes no other project header includes this one, so a compiler always
// reads it first.
#pragma once

#if __cplusplus < 202002L
#error "fingerpost needs C++20: compile with -std=c++20 or later"
#endif
