// Device memory and gathering through the C interface, on the stand-in or a GPU as in lookup_test.cpp.
#include "gpu/fingerpost_cuda_arrays.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "tests/gpu/device_array.hpp"

namespace fingerpost::testing {
namespace {

template <class T>
class DeviceGather : public ::testing::Test {};
using item_types = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(DeviceGather, item_types);

TYPED_TEST(DeviceGather, TakesItemsByNumber) {
    std::vector<TypeParam> items(200);
    std::iota(items.begin(), items.end(), TypeParam{17});
    std::vector<std::uint32_t> hops;
    for (std::uint32_t i = 0; i < 1000; ++i)
        hops.push_back(i % 7 == 0 ? FINGERPOST_CUDA_NO_ROUTE : i % 201); // 200 is too large by one
    const auto missing = static_cast<TypeParam>(0x0102'0304'0506'0708);
    std::vector<TypeParam> expected_items, results(hops.size() + 1, TypeParam{9});
    for (const std::uint32_t hop : hops)
        expected_items.push_back(hop < items.size() ? items[hop] : missing);
    expected_items.push_back(9); // after the last
    const device_array from(items.data(), items.size() * sizeof(TypeParam));
    const device_array numbers(hops.data(), hops.size() * sizeof hops[0]);
    const device_array out(results.data(), results.size() * sizeof(TypeParam));
    ASSERT_EQ(fingerpost_cuda_gather(0, from.get(), sizeof(TypeParam), items.size(), &missing,
                                     static_cast<const std::uint32_t*>(numbers.get()), out.get(), hops.size(),
                                     nullptr),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    out.copy_to(results.data());
    EXPECT_EQ(results, expected_items);
    // A table without next hops.
    ASSERT_EQ(fingerpost_cuda_gather(0, nullptr, sizeof(TypeParam), 0, &missing,
                                     static_cast<const std::uint32_t*>(numbers.get()), out.get(), 1, nullptr),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    out.copy_to(results.data());
    EXPECT_EQ(results[0], missing);
    EXPECT_EQ(results[1], expected_items[1]);
}

TEST(DeviceMemory, KeepsWhatIsCopied) {
    void* memory = nullptr;
    ASSERT_EQ(fingerpost_cuda_allocate(0, 1000, &memory), FINGERPOST_CUDA_OK) << fingerpost_cuda_error();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
    int device = -2;
    EXPECT_EQ(fingerpost_cuda_device_of(memory, &device), FINGERPOST_CUDA_OK);
    EXPECT_EQ(device, 0);
    std::vector<char> sent(1000, 'x'), received(1000);
    EXPECT_EQ(fingerpost_cuda_copy(0, memory, sent.data(), sent.size(), nullptr), FINGERPOST_CUDA_OK);
    const gpu::stream other = gpu::create_stream();
    EXPECT_EQ(fingerpost_cuda_order(0, nullptr, other), FINGERPOST_CUDA_OK);
    EXPECT_EQ(fingerpost_cuda_copy(0, received.data(), memory, sent.size(), other), FINGERPOST_CUDA_OK);
    gpu::destroy_stream(other);
    EXPECT_EQ(received, sent);
    EXPECT_EQ(fingerpost_cuda_release(0, memory), FINGERPOST_CUDA_OK);
}

TEST(DeviceMemory, ErrorsHaveReasons) {
    void* memory = &memory;
    EXPECT_EQ(fingerpost_cuda_allocate(0, 0, &memory), FINGERPOST_CUDA_OK);
    EXPECT_EQ(memory, nullptr);
    EXPECT_EQ(fingerpost_cuda_release(0, nullptr), FINGERPOST_CUDA_OK);
    EXPECT_NE(fingerpost_cuda_allocate(1'000, 1, &memory), FINGERPOST_CUDA_OK);
    EXPECT_EQ(fingerpost_cuda_allocate(0, SIZE_MAX / 2, &memory), FINGERPOST_CUDA_OUT_OF_MEMORY);
    EXPECT_STRNE(fingerpost_cuda_error(), "");
    EXPECT_EQ(fingerpost_cuda_copy(0, nullptr, nullptr, 1, nullptr), FINGERPOST_CUDA_INVALID);
    std::uint32_t hop = 0;
    EXPECT_EQ(fingerpost_cuda_gather(0, &hop, 3, 1, &hop, &hop, &hop, 1, nullptr), FINGERPOST_CUDA_INVALID);
    EXPECT_STREQ(fingerpost_cuda_error(), "items have neither 1, 2, 4 nor 8 bytes");
    EXPECT_EQ(fingerpost_cuda_gather(0, nullptr, 4, 1, &hop, &hop, &hop, 1, nullptr),
              FINGERPOST_CUDA_INVALID);
    int device = 0;
    EXPECT_EQ(fingerpost_cuda_device_of(nullptr, &device), FINGERPOST_CUDA_INVALID);
}

} // namespace
} // namespace fingerpost::testing
