// Decodes records, and writes their values as texts with types.
#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB
#include "io/format/mmdb/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/base/narrow.hpp"
#include "io/format/mmdb/mmdb_mark.hpp"
#include "io/format/parts/table_columns.hpp"

namespace fingerpost::io {
namespace {

// With more different fields, they are data rather than columns, such as a list of other networks.
constexpr std::size_t max_fields = 256;
constexpr std::uint32_t unwanted = 0xffff'ffff;

// Name of the column for a record that is a single value.
constexpr std::string_view nameless = "value";

template <class N>
std::string digits_of(N number) {
    std::array<char, 64> digits;
    const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return {digits.data(), done.ptr};
}

// Writes a decimal point into every float, as in 47.0, so that its type is kept in formats without types.
template <class N>
std::string float_text(N number) {
    std::string text = digits_of(number);
    const bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
    return is_whole ? text + ".0" : text;
}

std::string decimal(u128 number) {
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(number % 10));
        number /= 10;
    } while (number != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

u128 number_of(const MMDB_entry_data_s& data) {
#if MMDB_UINT128_IS_BYTE_ARRAY
    u128 number = 0;
    for (const std::uint8_t byte : data.uint128)
        number = number << 8 | byte;
    return number;
#else
    return data.uint128;
#endif
}

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

// Writes integers in decimal, floats with the shortest exact text, and bytes in hexadecimal.
std::string text_of(const MMDB_entry_data_s& data) {
    switch (data.type) {
    case MMDB_DATA_TYPE_UTF8_STRING:
        return {data.utf8_string, data.data_size};
    case MMDB_DATA_TYPE_BYTES:
        return hexadecimal(data.bytes, data.data_size);
    case MMDB_DATA_TYPE_DOUBLE:
        return float_text(data.double_value);
    case MMDB_DATA_TYPE_FLOAT:
        return float_text(data.float_value);
    case MMDB_DATA_TYPE_UINT16:
        return digits_of(data.uint16);
    case MMDB_DATA_TYPE_UINT32:
        return digits_of(data.uint32);
    case MMDB_DATA_TYPE_UINT64:
        return digits_of(data.uint64);
    case MMDB_DATA_TYPE_UINT128:
        return decimal(number_of(data));
    case MMDB_DATA_TYPE_INT32:
        return digits_of(data.int32);
    case MMDB_DATA_TYPE_BOOLEAN:
        return data.boolean ? "true" : "false";
    default:
        return {};
    }
}

column_type type_of(const MMDB_entry_data_s& data) {
    switch (data.type) {
    case MMDB_DATA_TYPE_DOUBLE:
    case MMDB_DATA_TYPE_FLOAT:
        return column_type::number;
    case MMDB_DATA_TYPE_UINT16:
    case MMDB_DATA_TYPE_UINT32:
    case MMDB_DATA_TYPE_UINT64:
    case MMDB_DATA_TYPE_INT32:
        return column_type::integer;
    case MMDB_DATA_TYPE_UINT128:
        return number_of(data) >> 64 == 0 ? column_type::integer : column_type::text;
    case MMDB_DATA_TYPE_BOOLEAN:
        return column_type::boolean;
    default:
        return column_type::text;
    }
}

// Records of real files have fewer than 100 values.
constexpr std::size_t max_record_values = 100'000;
constexpr unsigned max_nesting = 128;

// Follows the sizes and pointers of values without decoding the values ("MaxMind DB File Format
// Specification", data section).
class section_walk {
  public:
    explicit section_walk(std::span<const std::uint8_t> section) : section_(section) {}

    // Moves `at` past a value and all values in it. Returns a description of a fault.
    std::optional<std::string_view> pass(std::uint64_t& at, unsigned depth) {
        if (left_ == 0)
            return "it has more than 100000 values";
        --left_;
        if (depth == max_nesting)
            return "its values are nested deeper than 128 levels";
        const std::uint64_t control = number(at, 1);
        std::uint64_t type = control >> 5;
        if (type == MMDB_DATA_TYPE_POINTER) {
            const unsigned bytes = static_cast<unsigned>(control >> 3 & 3) + 1;
            constexpr std::array<std::uint64_t, 4> bases{0, 2048, 526'336, 0};
            const std::uint64_t high = bytes == 4 ? 0 : (control & 7) << (8 * bytes);
            std::uint64_t target = high + number(at, bytes) + bases[bytes - 1];
            return ends_early(at) ? cut_off : pass(target, depth + 1);
        }
        if (type == MMDB_DATA_TYPE_EXTENDED)
            type = number(at, 1) + 7;
        std::uint64_t size = control & 31;
        if (size >= 29) {
            constexpr std::array<std::uint64_t, 3> bases{29, 285, 65'821};
            const auto bytes = static_cast<unsigned>(size - 28);
            size = bases[bytes - 1] + number(at, bytes);
        }
        if (type == MMDB_DATA_TYPE_MAP || type == MMDB_DATA_TYPE_ARRAY) {
            const std::uint64_t values = type == MMDB_DATA_TYPE_MAP ? 2 * size : size;
            for (std::uint64_t i = 0; i < values && !ends_early(at); ++i)
                if (const auto fault = pass(at, depth + 1))
                    return fault;
        } else if (type != MMDB_DATA_TYPE_BOOLEAN) {
            at += size;
        }
        return ends_early(at) ? cut_off : std::nullopt;
    }

  private:
    static constexpr std::optional<std::string_view> cut_off = "it points past the end of the data";

    bool ends_early(std::uint64_t at) const { return at > section_.size(); }
    // Reads a number in network byte order. Bytes past the end are read as 0.
    std::uint64_t number(std::uint64_t& at, unsigned bytes) const {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i, ++at)
            value = value << 8 | (at < section_.size() ? section_[at] : 0);
        return value;
    }

    std::span<const std::uint8_t> section_;
    std::size_t left_ = max_record_values;
};

// Returns why a record is not decoded: it has too many values, or it is truncated. The library follows every
// pointer of a record, so a few bytes of pointers to pointers could fill the memory.
std::optional<std::string_view> record_fault(const MMDB_entry_s& record) {
    std::uint64_t at = record.offset;
    // The library counts the metadata as part of the section. In a damaged file, it may precede it.
    const std::uint8_t* const end = record.mmdb->metadata_section - mmdb_mark.size();
    const std::uint8_t* const begin = std::min(record.mmdb->data_section, end);
    return section_walk({begin, end}).pass(at, 0);
}

struct list_end {
    void operator()(MMDB_entry_data_list_s* list) const { MMDB_free_entry_data_list(list); }
};

} // namespace

mmdb_fields::mmdb_fields(const std::vector<std::string>& names)
    : keeps_all_(names.empty()), names_(names), is_seen_(names.size()), types_(names.size()) {}

std::optional<std::string> mmdb_fields::add(const MMDB_entry_s& record) {
    const auto place = [&] {
        const auto section =
            static_cast<std::uint64_t>(record.mmdb->data_section - record.mmdb->file_content);
        return "the record at byte " + std::to_string(section + record.offset) + ": ";
    };
    if (const auto reason = record_fault(record))
        return place() + std::string(*reason);
    MMDB_entry_s start = record;
    MMDB_entry_data_list_s* list = nullptr;
    const int error = MMDB_get_entry_data_list(&start, &list);
    const std::unique_ptr<MMDB_entry_data_list_s, list_end> owned_list(list);
    if (error != MMDB_SUCCESS)
        return place() + MMDB_strerror(error);
    path_.clear();
    const MMDB_entry_data_list_s* at = list;
    if (!take(at))
        return place() + "its fields have more than " + std::to_string(max_fields) +
               " different names; choose some as columns";
    ends_.push_back(cells_.size());
    return std::nullopt;
}

// Takes a value and the values in it, and moves `at` past them. Returns false if there are too many columns.
bool mmdb_fields::take(const MMDB_entry_data_list_s*& at) {
    if (at == nullptr)
        return true;
    const MMDB_entry_data_s& data = at->entry_data;
    at = at->next;
    const bool is_map = data.type == MMDB_DATA_TYPE_MAP;
    if (!is_map && data.type != MMDB_DATA_TYPE_ARRAY) {
        const auto column = column_of(path_.empty() ? std::string(nameless) : path_);
        if (!column)
            return false;
        if (*column != unwanted) {
            is_seen_[*column] = true;
            auto& type = types_[*column];
            type = type ? joined(*type, type_of(data)) : type_of(data);
            cells_.push_back({*column, texts_.intern(text_of(data))});
        }
        return true;
    }
    const std::size_t outer = path_.size();
    for (std::uint32_t i = 0; i < data.data_size && at != nullptr; ++i) {
        path_.resize(outer);
        path_ += outer == 0 ? "" : ".";
        if (is_map) {
            path_ += text_of(at->entry_data);
            at = at->next;
        } else {
            path_ += std::to_string(i);
        }
        if (!take(at))
            return false;
    }
    path_.resize(outer);
    return true;
}

// Returns the column of a path and creates it if necessary; `unwanted` if the path has no column. Returns
// nothing if there are too many columns.
std::optional<std::uint32_t> mmdb_fields::column_of(const std::string& path) {
    const auto [known, is_new] = columns_.try_emplace(path, unwanted);
    if (!is_new)
        return known->second;
    if (!keeps_all_) {
        if (const auto column = find_column(names_, path))
            known->second = static_cast<std::uint32_t>(*column);
        return known->second;
    }
    if (names_.size() == max_fields)
        return std::nullopt;
    known->second = to_u32(names_.size(), "columns");
    names_.push_back(path);
    is_seen_.push_back(false);
    types_.emplace_back();
    return known->second;
}

std::vector<std::string> mmdb_fields::columns() const {
    return names_.empty() ? std::vector<std::string>{"next_hop"} : names_;
}

std::optional<std::string> mmdb_fields::missing() const {
    const auto first = std::find(is_seen_.begin(), is_seen_.end(), false);
    if (first == is_seen_.end())
        return std::nullopt;
    return names_[static_cast<std::size_t>(first - is_seen_.begin())];
}

std::span<const std::string_view> mmdb_fields::row(std::size_t record) {
    row_.assign(std::max<std::size_t>(names_.size(), 1), missing_cell);
    for (std::size_t i = record == 0 ? 0 : ends_[record - 1]; i < ends_[record]; ++i)
        row_[cells_[i].column] = texts_[cells_[i].text];
    return row_;
}

} // namespace fingerpost::io

#endif
