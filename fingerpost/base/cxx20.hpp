// Reports that C++20 is needed. Without this header, a compiler for an older standard would complain about
// details first. Each header that includes no other header of the project includes this one, so a compiler
// reads it first whichever header a program includes.
#pragma once

#if __cplusplus < 202002L
#error "fingerpost needs C++20: compile with -std=c++20 or later"
#endif
