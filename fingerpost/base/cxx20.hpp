// Says that C++20 is needed, where a compiler of an older standard would only stumble over what it does not
// know. Headers that include no other one of the project include this one, so that it comes first wherever
// one begins.
#pragma once

#if __cplusplus < 202002L
#error "fingerpost needs C++20: compile with -std=c++20 or later"
#endif
