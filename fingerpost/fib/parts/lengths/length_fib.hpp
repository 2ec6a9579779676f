// The lookups and the inspection of a binary search on lengths: the part that all forms of the scheme share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_inspect.hpp"

namespace fingerpost {

template <class A>
class length_fib {
  public:
    next_hop lookup(A a) const noexcept {
        const length_search::arrays s = store_.arrays();
        const length_search::aligned_address at{top64(a), bottom64(a)};
        std::uint32_t found = length_search::begin(s, at.top);
        std::uint8_t length = length_search::first_length(s, found);
        if (length != length_search::stop)
            while (length_search::step<length_store<A>::has_wide>(s, at, found, length)) {
            }
        return store_.codec.decode(length_search::code_of(s, found) - 1);
    }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if constexpr (A::bits == 32 || A::bits == 128) {
            kernel_(store_.arrays(), in.data(), reinterpret_cast<std::uint32_t*>(out.data()), in.size());
            store_.codec.decode(out.first(in.size()));
        } else {
            lookup_each(*this, in, out);
        }
    }
    std::size_t memory_bytes() const noexcept { return total_bytes(store_.parts()) + sizeof *this; }

    next_hop trace(A a, step_visitor each) const { return length_inspector<A>(store_).trace(a, each); }
    std::vector<memory_part> memory_parts() const {
        const auto all = store_.parts();
        std::vector<memory_part> parts(all.begin(), all.end());
        parts.push_back({"object", sizeof *this});
        return parts;
    }
    void visit(node_visitor<A> each) const { length_inspector<A>(store_).visit(each); }

    // For tests.
    const length_store<A>& store() const noexcept { return store_; }

  protected:
    length_fib(length_store<A> store, simd::isa isa) noexcept : store_(std::move(store)) {
        if constexpr (A::bits == 32)
            kernel_ = length_search::kernels_of(isa).ipv4;
        else if constexpr (A::bits == 128)
            kernel_ = length_search::kernels_of(isa).ipv6;
    }

    length_store<A> store_;

  private:
    length_search::batch_kernel kernel_ = nullptr; // null for widths that only tests use
};

} // namespace fingerpost
