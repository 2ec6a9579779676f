// Reports that C++20 is needed. Without it, a compiler for an older standard would complain about details
// first. Each header that includes no other header of the project includes this one, so that every chain of
// includes begins with it.
#pragma once

#if __cplusplus < 202002L
#error "fingerpost needs C++20: compile with -std=c++20 or later"
#endif
