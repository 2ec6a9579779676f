// Tables in the form in which users write them, for tests of next-hop names.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <variant>

#include "io/format/text/table_text.hpp"

namespace fingerpost::testing {

// Routes of one family. Next hops are numbered in the order of the lines.
template <class A>
io::loaded_table<A> read_table(std::string_view text) {
    io::table_reader reader("t", {.only = family_of<A>});
    EXPECT_TRUE(reader.feed(text));
    auto read = std::move(reader).finish();
    EXPECT_TRUE(read);
    return std::move(std::get<io::loaded_table<A>>(*read));
}

} // namespace fingerpost::testing
