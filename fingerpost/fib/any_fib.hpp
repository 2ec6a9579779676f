// A built FIB of any scheme behind one type, erased at batch level.
#pragma once

#include <cassert>
#include <memory>
#include <span>
#include <utility>

#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

template <class A>
class any_fib {
  public:
    template <scheme<A> S>
    explicit any_fib(S built) : self_(std::make_unique<model<S>>(std::move(built))) {}

    next_hop lookup(A a) const noexcept { return self_->lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept {
        assert(out.size() >= in.size());
        self_->lookup(in, out);
    }
    std::size_t memory_bytes() const noexcept { return self_->memory_bytes(); }

  private:
    struct face {
        virtual ~face() = default;
        virtual next_hop lookup(A a) const noexcept = 0;
        virtual void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept = 0;
        virtual std::size_t memory_bytes() const noexcept = 0;
    };
    template <class S>
    struct model final : face {
        explicit model(S built) : fib(std::move(built)) {}
        next_hop lookup(A a) const noexcept override { return fib.lookup(a); }
        void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept override {
            fib.lookup(in, out);
        }
        std::size_t memory_bytes() const noexcept override { return fib.memory_bytes(); }
        S fib;
    };
    std::unique_ptr<face> self_;
};

} // namespace fingerpost
