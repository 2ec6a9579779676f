// Fuzzes every scheme that can be patched: bytes become announcements and withdrawals, and after each of them
// the oracle knows what is answered around it. FIBs that can follow one another take turns.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fuzz/bytes.hpp"
#include "tests/forms/hidden_forms.hpp"
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

// Schemes whose empty FIB has megabytes would let a fuzzer do nothing but clear memory: few inputs see them.
template <class A>
std::vector<const scheme_entry<A>*> patchable_schemes(bool with_large) {
    static const std::vector<scheme_entry<A>> all = testing::schemes_and_forms<A>();
    std::vector<const scheme_entry<A>*> list;
    for (const scheme_entry<A>& one : all)
        if (one.patchable && (with_large || !one.facts.large_when_empty))
            list.push_back(&one);
    return list;
}

// A FIB of one scheme that is told every change, and the one it takes turns with.
template <class A>
class subject {
  public:
    explicit subject(const scheme_entry<A>& scheme) : scheme_(scheme) {}

    // Is told no more than the scheme asks for.
    void change_to(const rib<A>& truth, change<A> c, bool take_turns) {
        if (c.where.length < scheme_.min_length_with_ranges)
            c.affected_ranges.clear();
        if (fib_ == nullptr)
            rebuild(truth);
        else if (scheme_.syncable && (take_turns || takes_turns_))
            follow();
        if (fib_->apply(c) != errc::ok)
            rebuild(truth);
        fib_->begin_publish();
    }
    const any_fib<A>& fib() const { return *fib_; }
    const scheme_entry<A>& scheme() const { return scheme_; }

  private:
    void rebuild(const rib<A>& truth) {
        auto built = scheme_.build(truth.to_routes(), {});
        if (!built)
            std::abort();
        fib_ = std::move(*built);
        takes_turns_ = false;
    }
    void follow() {
        if (other_ == nullptr) {
            auto empty = scheme_.build(routes<A>(), {});
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
    fib_pointer<A> fib_;
    fib_pointer<A> other_;
    bool takes_turns_ = false; // and so is changed no more once it has been looked at
};

template <class A>
void fuzz(fuzzing::bytes& in) {
    using value = typename A::value_type;
    rib<A> truth;
    oracle::by_length<A> judge{std::span<const route<A>>{}};
    std::vector<route<A>> seen;
    std::vector<change<A>> done;
    std::vector<subject<A>> subjects;
    for (const scheme_entry<A>* scheme : patchable_schemes<A>(in.size() % 16 == 5))
        subjects.emplace_back(*scheme);
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
        for (subject<A>& one : subjects) {
            one.change_to(truth, *told, (what & 16) != 0);
            for (const auto& [first, last] : told->decided)
                for (const value a : {static_cast<value>(first.value - 1), first.value, last.value,
                                      static_cast<value>(last.value + 1)}) {
                    const A at{static_cast<value>(a & A::last().value)};
                    if (one.fib().lookup(at) != judge.lookup(at))
                        tell_and_abort(one.scheme(), done, "wrong answer", at);
                }
        }
    }
    if (done.empty())
        return;
    const routes<A> all = truth.to_routes();
    const std::vector<A> addresses = oracle::probes<A>(all.sorted());
    const std::vector<next_hop> right = oracle::answers<A>(judge, std::span<const A>(addresses));
    for (const subject<A>& one : subjects)
        if (const auto wrong = oracle::verify<A>(one.fib(), addresses, right))
            tell_and_abort(one.scheme(), done, "wrong answer in the end", wrong->address);
}

} // namespace
} // namespace fingerpost

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fingerpost::fuzzing::for_one_family(data, size, []<class A>(auto& in) { fingerpost::fuzz<A>(in); });
    return 0;
}
