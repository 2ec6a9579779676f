// Definitions for strides_in_name.hpp, for the library and, through collect.hpp, for tests of other widths.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "fingerpost/registry/strides_in_name.hpp"

namespace fingerpost {

template <class A>
std::string fault_of_strides(std::span<const scheme_entry<A>> listed, std::string_view name) {
    for (const scheme_entry<A>& entry : listed)
        if (const std::string_view text = strides_in_name(entry.facts, name); !text.empty())
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
        for (const named_entry& known : entries_)
            if (known.name == name)
                return &known.entry;
        auto strides = read_strides(text, A::bits);
        if (!strides || entries_.size() == most)
            return nullptr;
        named_entry& added =
            entries_.emplace_back(named_entry{std::string(name), std::move(*strides), scheme});
        added.entry.facts.name = added.name;
        added.entry.facts.role = scheme_role::ablation;
        added.entry.build = scheme.build.with(added.strides);
        return &added.entry;
    }

  private:
    struct named_entry {
        std::string name;
        std::vector<std::uint8_t> strides;
        scheme_entry<A> entry;
    };
    std::mutex mutex_;
    std::deque<named_entry> entries_;
};

} // namespace detail

template <class A>
const scheme_entry<A>* scheme_with_strides(std::span<const scheme_entry<A>> listed,
                                           std::string_view name) noexcept try {
    static detail::named_strides<A> known;
    for (const scheme_entry<A>& entry : listed)
        if (const std::string_view text = strides_in_name(entry.facts, name); !text.empty())
            return known.find(entry, name, text);
    return nullptr;
} catch (...) {
    return nullptr;
}

} // namespace fingerpost
