// The widths that tests build every scheme for, besides 32 and 128: tiny ones, all of whose addresses can be
// tried, and 64.
#pragma once

#include "tests/support/effort.hpp"

#if FINGERPOST_EVERY_WIDTH
#define FINGERPOST_FOR_EACH_TEST_WIDTH(DO) DO(3) DO(4) DO(5) DO(6) DO(7) DO(9) DO(12) DO(64)
#else
#define FINGERPOST_FOR_EACH_TEST_WIDTH(DO) DO(3) DO(4) DO(5) DO(7) DO(12) DO(64)
#endif
