// The widths, besides 32 and 128, for which tests build every scheme. They are small enough to try all
// addresses; some are shorter than the strides of many schemes, and some longer.
#pragma once

#define FINGERPOST_FOR_EACH_TEST_WIDTH(DO) DO(7) DO(12)
