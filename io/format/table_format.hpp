// The table formats, and their detection by the first bytes of an input.
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

// All formats, in the order of the list.
std::span<const table_format> table_formats() noexcept;

const format_entry& entry_of(table_format format) noexcept;

inline std::string_view name_of(table_format format) noexcept {
    return entry_of(format).name;
}

// This many bytes show the format of an input, if it has one.
inline constexpr std::size_t max_detected_bytes = std::size_t{128} << 10;

// Name of the archive type that begins here, such as "zip" or "tar"; empty if there is none.
std::string_view archive_name(std::string_view start);

struct detection {
    bool needs_more = false; // more bytes of the input may show the format
    std::optional<table_format> format = {};
    std::string reason = {}; // why the input has no known format
};

// `start`: the first bytes of an input. `is_complete`: they are the whole input. The options name columns,
// and say whether lines may be faulty, including the first ones.
detection detect_format(std::string_view start, bool is_complete, const table_options& options);

} // namespace fingerpost::io
