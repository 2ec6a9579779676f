// Schemes whose users choose strides: `multibit_fixed:8-8-8-8` is `multibit_fixed` with four levels of 8
// bits.
//
// The strides are numbers from 1 to 24 with dashes between them. Those in front of the last one add up to
// less than the width of addresses, all of them to the width or more; what is more is cut from the last one.
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

// The strides that this text tells for addresses of so many bits, or what is wrong with them. Throws
// std::bad_alloc.
expected<std::vector<std::uint8_t>, std::string> read_strides(std::string_view text, unsigned width);

// What follows the name of a scheme and its colon, if this is a name of strides of that scheme; else empty.
constexpr std::string_view strides_in_name(const scheme_facts& facts, std::string_view name) noexcept {
    if (!facts.takes_strides || !name.starts_with(facts.name))
        return {};
    name.remove_prefix(facts.name.size());
    if (!name.starts_with(':') || name.find_first_not_of("0123456789-", 1) != name.npos)
        return {};
    return name.substr(1);
}

// Nothing is wrong with a name that tells no strides. Throws std::bad_alloc.
template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> all, std::string_view name) {
    for (const scheme_entry<A>& one : all)
        if (const std::string_view text = strides_in_name(one.facts, name); !text.empty())
            if (const auto strides = read_strides(text, A::bits); !strides)
                return strides.error();
    return {};
}

namespace detail {

// The entries of names with strides that have been asked for, so that they can be pointed to.
template <class A>
class named_strides {
  public:
    // Of names that nobody has asked for before there are so many, as a program may let others name schemes.
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

// nullptr when the name is none with strides, its strides are wrong, or memory is missing.
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
