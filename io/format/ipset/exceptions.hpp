// Removes the exceptions of a set of prefixes from the prefixes that cover them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fingerpost/net/prefix.hpp"

namespace fingerpost::io {

template <class A>
struct set_entry {
    prefix<A> where;
    bool is_exception;
    bool masked; // bits past the length were cleared
    std::string comment;
    std::uint64_t line;
};

namespace detail {

template <class A>
prefix<A> half_of(const prefix<A>& whole, bool is_upper) {
    const unsigned length = whole.length + 1U;
    auto value = whole.base.value;
    if (is_upper)
        value = static_cast<typename A::value_type>(
            value | (network_mask<A>(length) ^ network_mask<A>(whole.length)));
    return prefix<A>::make(A{value}, length);
}

// Calls take(block) for the blocks of `whole` that are in none of the holes. The holes are sorted, disjoint,
// within `whole`, and not empty.
template <class A, class F>
void blocks_without(const prefix<A>& whole, std::span<const prefix<A>> holes, F&& take) {
    if (holes.empty())
        return take(whole);
    if (holes.front() == whole)
        return;
    const prefix<A> upper = half_of(whole, true);
    const auto cut = std::partition_point(holes.begin(), holes.end(),
                                          [&](const prefix<A>& hole) { return hole.base < upper.base; });
    const auto below = static_cast<std::size_t>(cut - holes.begin());
    blocks_without(half_of(whole, false), holes.first(below), take);
    blocks_without(upper, holes.subspan(below), take);
}

// Calls take(entry, block) for the blocks of every entry without its holes, which are the entries within it
// that are or contain exceptions.
template <class A, class F>
class exception_cutter {
  public:
    exception_cutter(std::span<const set_entry<A>> sorted, F& take) : sorted_(sorted), take_(take) {}

    void cut() {
        std::vector<prefix<A>> holes;
        while (at_ != sorted_.size())
            pass_entry(holes);
        std::stable_sort(blocks_.begin(), blocks_.end(),
                         [](const block& a, const block& b) { return a.entry < b.entry; });
        for (const block& piece : blocks_)
            take_(sorted_[piece.entry], piece.where);
    }

  private:
    // Takes an entry and all entries that it covers. Adds its prefix to the holes of the entry around it if
    // it is an exception or contains one.
    void pass_entry(std::vector<prefix<A>>& holes) {
        const std::size_t number = at_++;
        const set_entry<A>& entry = sorted_[number];
        std::vector<prefix<A>> inner;
        while (at_ != sorted_.size() && entry.where.covers(sorted_[at_].where))
            pass_entry(inner);
        if (entry.is_exception || !inner.empty())
            holes.push_back(entry.where);
        if (!entry.is_exception)
            blocks_without<A>(entry.where, inner, [&](const prefix<A>& where) {
                blocks_.push_back({number, where});
            });
    }

    struct block {
        std::size_t entry;
        prefix<A> where;
    };

    std::span<const set_entry<A>> sorted_;
    F& take_;
    std::vector<block> blocks_; // in prefix order of the entries only at the end
    std::size_t at_ = 0;
};

} // namespace detail

// Calls take(entry, block) for every block of every entry that is not an exception, in prefix order of the
// entries. An entry without exceptions is one block. Of equal prefixes, the last one is kept.
template <class A, class F>
void cut_exceptions(std::vector<set_entry<A>>& entries, F&& take) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const set_entry<A>& a, const set_entry<A>& b) { return a.where < b.where; });
    std::size_t end = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (end != 0 && entries[end - 1].where == entries[i].where)
            --end;
        if (end != i)
            entries[end] = std::move(entries[i]);
        ++end;
    }
    entries.resize(end);
    detail::exception_cutter<A, F>(entries, take).cut();
}

} // namespace fingerpost::io
