// The formats of tables, and how to tell them apart by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/list.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

#define FINGERPOST_FORMAT_ENUMERATOR(name) name,
enum class table_format : std::uint8_t { FINGERPOST_FOR_EACH_FORMAT(FINGERPOST_FORMAT_ENUMERATOR) };
#undef FINGERPOST_FORMAT_ENUMERATOR

// All of them, in the order of the list.
std::span<const table_format> table_formats() noexcept;

const format_entry& entry_of(table_format format) noexcept;

inline std::string_view name_of(table_format format) noexcept {
    return entry_of(format).name;
}

// So much of an input tells its format, if anything does.
inline constexpr std::size_t max_detected_bytes = std::size_t{128} << 10;

// What archive begins here, such as "zip" or "tar", if one does.
std::string_view archive_name(std::string_view start);

struct detection {
    bool needs_more = false; // a longer start of the input may tell
    std::optional<table_format> format = {};
    std::string reason = {}; // why it is none of the formats, if so
};

// `start`: the first bytes of an input; `is_all`: they are the whole input. The options name columns, and say
// whether lines, including the first ones, may be wrong.
detection detect_format(std::string_view start, bool is_all, const table_options& options);

} // namespace fingerpost::io
