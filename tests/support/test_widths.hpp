// The widths that tests build every scheme for, besides 32 and 128: tiny ones, all of whose addresses can be
// tried, with fewer bits than the strides of many schemes and with more.
#pragma once

#define FINGERPOST_FOR_EACH_TEST_WIDTH(DO) DO(7) DO(12)
