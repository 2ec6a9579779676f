// Lookups and inspection of a binary search on lengths, shared by all variants of the scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "fingerpost/fib/layout.hpp"
#include "fingerpost/fib/parts/lengths/length_nodes.hpp"

namespace fingerpost {

template <class F, class A>
class length_fib : public laid_out<F, A> {
  public:
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        length_store<A>::for_each_array(of.store_, visit);
    }
    // If no length is in use, reads the next hop of /0, if there is one.
    template <class Read>
    next_hop find(Read&& read, A a) const {
        const length_search::arrays s = store_.arrays();
        const length_search::aligned_address at{top64(a), bottom64(a)};
        const bool in_front = length_search::has_slot(s, at.top);
        std::uint32_t state = length_search::begin(s, read, at.top);
        std::uint8_t length = length_search::first_length(s, state);
        if (!in_front && length == length_search::stop && store_.default_code != 0)
            read(&store_.default_code, 0);
        read.tell([&](auto& step) {
            step.looks_at(0, in_front ? store_.front.bits() : 0);
            step.best = length_search::hop_of(s, state);
        });
        while (length != length_search::stop)
            (void)length_search::step<A::bits>(s, read, at, state, length);
        return length_search::hop_of(s, state);
    }

    next_hop lookup(A a) const noexcept { return find(plain_reads{}, a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if constexpr (A::bits == 32 || A::bits == 128) {
            kernel_(store_.arrays(), in.data(), reinterpret_cast<std::uint32_t*>(out.data()), in.size());
            store_.codec.decode(out.first(in.size()));
        } else {
            lookup_each(*this, in, out);
        }
    }

    void visit(node_visitor<A> each) const { length_nodes<A>(store_).visit(each); }
    void check(const layout_check& in) { store_.check(in); }
    void ready(const build_options& options) noexcept {
        if constexpr (A::bits == 32)
            kernel_ = length_search::kernels_of(options.isa).ipv4;
        else if constexpr (A::bits == 128)
            kernel_ = length_search::kernels_of(options.isa).ipv6;
    }

    // For tests.
    const length_store<A>& store() const noexcept { return store_; }

  protected:
    static expected<F> with(expected<length_store<A>> store, const build_options& options) {
        if (!store)
            return unexpected{store.error()};
        F fib;
        fib.store_ = std::move(*store);
        fib.ready(options);
        return fib;
    }

    length_store<A> store_;

  private:
    length_search::batch_kernel kernel_ = nullptr; // null for widths that only tests use
};

} // namespace fingerpost
