// Fuzzes every scheme that can be patched: bytes become announcements and withdrawals, and after each of them
// the answers around it are compared with those of the oracle. Two FIBs of a syncable scheme alternate. The
// first three bytes select IPv4 or IPv6, the scheme and the ISA.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fuzz/bytes.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"

namespace fingerpost {
namespace {

template <class A>
[[noreturn]] void tell_and_abort(const scheme_entry<A>& scheme, const std::vector<change<A>>& done,
                                 const char* what, A at) {
    const std::string name(scheme.facts.name), where = to_string(at);
    std::fprintf(stderr, "%s: %s at %s after\n", name.c_str(), what, where.c_str());
    for (const change<A>& c : done)
        std::fprintf(stderr, "%s %s %u\n", c.after == next_hop::none ? "withdraw" : "announce",
                     to_string(c.where).c_str(), c.after.id);
    std::abort();
}

template <class A>
const std::vector<scheme_entry<A>>& patchable_schemes() {
    static const std::vector<scheme_entry<A>> patchable = [] {
        std::vector<scheme_entry<A>> list(schemes<A>().begin(), schemes<A>().end());
        std::erase_if(list, [](const scheme_entry<A>& one) { return !one.patchable; });
        return list;
    }();
    return patchable;
}

// A FIB of one scheme that gets every change, and the FIB with which it alternates.
template <class A>
class subject {
  public:
    subject(const scheme_entry<A>& scheme, simd::isa isa) : scheme_(scheme), isa_(isa) {}

    // Passes only the parts that the scheme requests.
    void change_to(const rib<A>& truth, change<A> c, bool take_turns) {
        if (c.where.length < scheme_.min_length_with_ranges)
            c.affected_ranges.clear();
        if (fib_ == nullptr)
            rebuild(truth);
        else if (scheme_.syncable && (take_turns || takes_turns_))
            sync();
        if (fib_->apply(c) != errc::ok)
            rebuild(truth);
        fib_->begin_publish();
    }
    const any_fib<A>& fib() const { return *fib_; }

  private:
    void rebuild(const rib<A>& truth) {
        auto built = scheme_.build(truth.to_routes(), {.isa = isa_});
        if (!built)
            std::abort();
        fib_ = std::move(*built);
        takes_turns_ = false;
    }
    void sync() {
        if (other_ == nullptr) {
            auto empty = scheme_.build(routes<A>(), {.isa = isa_});
            if (!empty)
                std::abort();
            other_ = std::move(*empty);
        }
        if (other_->sync_from(*fib_) != errc::ok)
            std::abort();
        std::swap(fib_, other_);
        takes_turns_ = true;
    }

    const scheme_entry<A>& scheme_;
    simd::isa isa_;
    fib_pointer<A> fib_;
    fib_pointer<A> other_;
    bool takes_turns_ = false; // and is then not changed any more once it has been compared
};

template <class A>
void fuzz(fuzzing::bytes& in) {
    using value = typename A::value_type;
    const scheme_entry<A>& scheme = fuzzing::some_scheme<A>(in, patchable_schemes<A>());
    subject<A> tried(scheme, fuzzing::some_isa(in));
    rib<A> truth;
    oracle::by_length<A> judge{std::span<const route<A>>{}};
    std::vector<route<A>> seen;
    std::vector<change<A>> done;
    while (!in.empty() && done.size() < 300) {
        const std::uint8_t what = in.next();
        const bool withdraw = what % 4 == 0 && !seen.empty();
        const prefix<A> where =
            withdraw ? seen[in.next() % seen.size()].where : fuzzing::some_prefix<A>(in, seen);
        const auto told = withdraw ? truth.withdraw(where) : truth.announce(where, fuzzing::some_hop(in));
        if (!told)
            continue;
        judge.set(told->where, told->after);
        if (!withdraw)
            seen.push_back({told->where, told->after});
        done.push_back(*told);
        tried.change_to(truth, *told, (what & 16) != 0);
        for (const auto& [first, last] : told->affected_ranges)
            for (const value a : {static_cast<value>(first.value - 1), first.value, last.value,
                                  static_cast<value>(last.value + 1)}) {
                const A at{static_cast<value>(a & A::last().value)};
                if (tried.fib().lookup(at) != judge.lookup(at))
                    tell_and_abort(scheme, done, "wrong answer", at);
            }
    }
    if (done.empty())
        return;
    const routes<A> all = truth.to_routes();
    const std::vector<A> addresses = oracle::probes<A>(all.sorted());
    const std::vector<next_hop> right = oracle::answers<A>(judge, std::span<const A>(addresses));
    if (const auto wrong = oracle::verify<A>(tried.fib(), addresses, right))
        tell_and_abort(scheme, done, "wrong answer in the end", wrong->address);
}

} // namespace
} // namespace fingerpost

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fingerpost::fuzzing::for_one_family(data, size, []<class A>(auto& in) { fingerpost::fuzz<A>(in); });
    return 0;
}
