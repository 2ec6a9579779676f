// Lists within one text, with commas between their items.
#pragma once

#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

inline void append_listed(std::string& list, std::string_view item) {
    if (!list.empty())
        list += ',';
    list += item;
}

} // namespace fingerpost::io
