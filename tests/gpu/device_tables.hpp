// Tables on a device for tests: uploads, lookups by all ways, and the right answers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "fingerpost/image/image_writer.hpp"
#include "fingerpost/registry/registry.hpp"
#include "gpu/fingerpost_cuda.h"
#include "gpu/fingerpost_cuda_arrays.h"
#include "tests/gpu/device_array.hpp"
#include "tests/oracle/by_parent.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {

struct closer {
    void operator()(fingerpost_cuda_table* table) const { fingerpost_cuda_close(table); }
};
using handle = std::unique_ptr<fingerpost_cuda_table, closer>;

inline handle upload(std::span<const std::byte> image) {
    fingerpost_cuda_table* uploaded = nullptr;
    EXPECT_EQ(fingerpost_cuda_upload(image.data(), image.size(), 0, &uploaded), FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    return handle(uploaded);
}

inline void update(const handle& table, std::span<const std::byte> image) {
    EXPECT_EQ(fingerpost_cuda_update(table.get(), image.data(), image.size()), FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
}

// Addresses as the interface takes them.
template <class A>
std::vector<std::uint64_t> packed(std::span<const A> addresses) {
    std::vector<std::uint64_t> words((addresses.size_bytes() + 7) / 8);
    if constexpr (A::bits == 32)
        std::memcpy(words.data(), addresses.data(), addresses.size_bytes());
    else
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            words[2 * i] = __builtin_bswap64(top64(addresses[i]));
            words[2 * i + 1] = __builtin_bswap64(bottom64(addresses[i]));
        }
    return words;
}

template <class A>
aligned_array<std::byte> image_of(const scheme_entry<A>& scheme, const table<A>& all) {
    const routes<A> from(all);
    const auto fib = scheme.build(from, {});
    EXPECT_TRUE(fib) << scheme.facts.name;
    return fingerpost::detail::image_writer<A>::write(from.sorted(), scheme.facts.name, (*fib)->save(), {});
}

template <class A>
std::vector<next_hop> answers_of(const table<A>& all, std::span<const A> at) {
    return oracle::answers<A>(oracle::by_parent<A>(all), at);
}

inline std::vector<std::uint64_t> halves_of(std::span<const ipv6_address> addresses) {
    std::vector<std::uint64_t> words;
    for (const ipv6_address a : addresses)
        words.insert(words.end(), {top64(a), bottom64(a)});
    return words;
}

// A lookup in a stream of its own.
template <class A>
class own_lookup {
  public:
    explicit own_lookup(std::span<const A> at)
        : out_(at.size()), addresses_(packed(at).data(), at.size_bytes()),
          hops_(out_.data(), at.size() * sizeof(next_hop)) {
        gpu::wait_for_stream(nullptr); // for these copies
    }
    gpu::stream in() const noexcept { return in_.get(); }
    void start(const handle& table) const {
        EXPECT_EQ(fingerpost_cuda_lookup(table.get(), A::bits, addresses_.get(),
                                         static_cast<std::uint32_t*>(hops_.get()), out_.size(), in()),
                  FINGERPOST_CUDA_OK)
            << fingerpost_cuda_error();
    }
    const std::vector<next_hop>& wait() {
        gpu::wait_for_stream(in());
        hops_.copy_to(out_.data());
        return out_;
    }

  private:
    std::vector<next_hop> out_;
    device_array addresses_, hops_;
    gpu::own_stream in_;
};

// All ways to look up, on a table of one family.
template <class A>
std::vector<next_hop> answers_on_device(fingerpost_cuda_table* in, std::span<const A> at) {
    std::vector<std::uint32_t> out(at.size());
    const std::vector<std::uint64_t> words = packed(at);
    device_array addresses(words.data(), at.size_bytes());
    device_array hops(out.data(), out.size() * sizeof out[0]);
    EXPECT_EQ(fingerpost_cuda_lookup(in, A::bits, addresses.get(), static_cast<std::uint32_t*>(hops.get()),
                                     at.size(), nullptr),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    hops.copy_to(out.data());
    std::vector<std::uint32_t> from_host(at.size());
    EXPECT_EQ(fingerpost_cuda_lookup_host(in, A::bits, words.data(), from_host.data(), at.size()),
              FINGERPOST_CUDA_OK)
        << fingerpost_cuda_error();
    EXPECT_EQ(out, from_host);
    if constexpr (A::bits == 128) {
        EXPECT_EQ(fingerpost_cuda_lookup_host(in, FINGERPOST_CUDA_IPV6_HALVES, halves_of(at).data(),
                                              from_host.data(), at.size()),
                  FINGERPOST_CUDA_OK)
            << fingerpost_cuda_error();
        EXPECT_EQ(out, from_host);
    }
    std::vector<next_hop> result;
    for (const std::uint32_t hop : out)
        result.push_back({hop});
    return result;
}

// Addresses on both sides of every boundary of a table, and the right answers.
template <class A>
struct questions {
    explicit questions(const table<A>& all)
        : addresses(oracle::probes<A>(all)), answers(answers_of<A>(all, addresses)) {}

    std::vector<A> addresses;
    std::vector<next_hop> answers;
};

template <class A>
bool has_kernel(const scheme_entry<A>& scheme) {
    return scheme.facts.is_standard() && scheme.saveable;
}

} // namespace fingerpost::testing
