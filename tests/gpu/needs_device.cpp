// Skips all tests where there is no GPU.
#include <gtest/gtest.h>

#include "gpu/fingerpost_cuda.h"

namespace fingerpost::testing {
namespace {

class needs_device : public ::testing::Environment {
    void SetUp() override {
        int devices = -1;
        ASSERT_EQ(fingerpost_cuda_devices(&devices), FINGERPOST_CUDA_OK) << fingerpost_cuda_error();
        if (devices == 0)
            GTEST_SKIP() << "there is no GPU";
    }
};
[[maybe_unused]] const auto* const added = ::testing::AddGlobalTestEnvironment(new needs_device);

} // namespace
} // namespace fingerpost::testing
