// Definitions for strides_in_name.hpp, for the library and, through collect.hpp, for tests of other widths.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "fingerpost/registry/strides_in_name.hpp"

namespace fingerpost {

template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> all, std::string_view name) {
    for (const scheme_entry<A>& one : all)
        if (const std::string_view text = strides_in_name(one.facts, name); !text.empty())
            if (const auto strides = read_strides(text, A::bits); !strides)
                return strides.error();
    return {};
}

namespace detail {

// Entries for requested names with strides. They are kept so that pointers to them stay valid.
template <class A>
class named_strides {
  public:
    // Maximum number of entries, because a program may let untrusted users name schemes.
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
