// Instantiates suite.hpp for each tested width.
#include "tests/support/suite.hpp"

namespace fingerpost::testing {

#define FINGERPOST_DEFINE_SUITE(bits) FINGERPOST_SUITE(, bits)
FINGERPOST_FOR_EACH_TEST_WIDTH(FINGERPOST_DEFINE_SUITE)
FINGERPOST_DEFINE_SUITE(32)
FINGERPOST_DEFINE_SUITE(128)

} // namespace fingerpost::testing
