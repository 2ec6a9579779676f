// Schemes with strides in their names: `multibit_fixed:8-8-8-8` is `multibit_fixed` with four levels of 8
// bits.
//
// The strides are numbers from 1 to 24, separated by dashes. Without the last one their sum is below the
// width of addresses; with it the sum is the width or more, and the last stride is cut to fit.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/fib/scheme_entry.hpp"

namespace fingerpost {

inline constexpr unsigned widest_stride = 24;

// The strides that this text gives for addresses of this many bits, or an explanation of what is wrong.
// Throws std::bad_alloc.
expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width);

// The part of `name` after the scheme's name and a colon, if it gives strides of this scheme; else empty.
constexpr std::string_view strides_in_name(const scheme_facts& facts, std::string_view name) noexcept {
    if (!facts.takes_strides || !name.starts_with(facts.name))
        return {};
    name.remove_prefix(facts.name.size());
    if (!name.starts_with(':') || name.find_first_not_of("0123456789-", 1) != name.npos)
        return {};
    return name.substr(1);
}

// Explains what is wrong with a name that gives strides; a name without strides is fine. Throws
// std::bad_alloc.
template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> all, std::string_view name) {
    for (const scheme_entry<A>& one : all)
        if (const std::string_view text = strides_in_name(one.facts, name); !text.empty())
            if (const auto strides = read_strides(text, A::bits); !strides)
                return strides.error();
    return {};
}

namespace detail {

// Keeps the entries of names with strides that have been requested, so that pointers to them stay valid.
template <class A>
class named_strides {
  public:
    // The limit is reached only by different names; it exists because a program may let strangers name
    // schemes.
    static constexpr std::size_t most = 1024;

    const scheme_entry<A>* find(const scheme_entry<A>& scheme, std::string_view name, std::string_view text) {
        const std::lock_guard lock(mutex_);
        for (const one& known : all_)
            if (known.name == name)
                return &known.entry;
        auto strides = read_strides(text, A::bits);
        if (!strides || all_.size() == most)
            return nullptr;
        one& made = all_.emplace_back(one{std::string(name), std::move(*strides), scheme});
        made.entry.facts.name = made.name;
        made.entry.facts.role = scheme_role::ablation;
        made.entry.build = scheme.build.with(made.strides);
        return &made.entry;
    }

  private:
    struct one {
        std::string name;
        std::vector<std::uint8_t> strides;
        scheme_entry<A> entry;
    };
    std::mutex mutex_;
    std::deque<one> all_;
};

} // namespace detail

// nullptr if the name has no strides, if they are wrong, or without memory.
template <class A>
const scheme_entry<A>* scheme_with_strides(std::span<const scheme_entry<A>> all,
                                           std::string_view name) noexcept try {
    static detail::named_strides<A> known;
    for (const scheme_entry<A>& one : all)
        if (const std::string_view text = strides_in_name(one.facts, name); !text.empty())
            return known.find(one, name, text);
    return nullptr;
} catch (...) {
    return nullptr;
}

} // namespace fingerpost
