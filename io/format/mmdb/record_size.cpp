// Follows the sizes and pointers of values, without looking at the values ("MaxMind DB File Format
// Specification", data section).
#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB
#include "io/format/mmdb/record_size.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "io/format/mmdb/mmdb_mark.hpp"

namespace fingerpost::io {
namespace {

constexpr unsigned max_depth = 128;

class walk {
  public:
    explicit walk(std::span<const std::uint8_t> section) : section_(section) {}

    // Passes over the value at `at` and all values in it; then `at` is behind it. Returns what is wrong.
    std::optional<std::string_view> pass(std::uint64_t& at, unsigned depth) {
        if (left_ == 0)
            return "it has more than 100000 values";
        --left_;
        if (depth == max_depth)
            return "its values lie deeper than 128 levels";
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
                if (const auto wrong = pass(at, depth + 1))
                    return wrong;
        } else if (type != MMDB_DATA_TYPE_BOOLEAN) {
            at += size;
        }
        return ends_early(at) ? cut_off : std::nullopt;
    }

  private:
    static constexpr std::optional<std::string_view> cut_off = "it leads behind the end of the data";

    bool ends_early(std::uint64_t at) const { return at > section_.size(); }
    // In network order. Bytes behind the end are 0.
    std::uint64_t number(std::uint64_t& at, unsigned bytes) const {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < bytes; ++i, ++at)
            value = value << 8 | (at < section_.size() ? section_[at] : 0);
        return value;
    }

    std::span<const std::uint8_t> section_;
    std::size_t left_ = max_record_values;
};

} // namespace

std::optional<std::string_view> why_no_record(const MMDB_entry_s& record) {
    std::uint64_t at = record.offset;
    // The size that the library has for the section includes the metadata behind it. In a damaged file they
    // may lie before it.
    const std::uint8_t* const end = record.mmdb->metadata_section - mmdb_mark.size();
    const std::uint8_t* const begin = std::min(record.mmdb->data_section, end);
    return walk({begin, end}).pass(at, 0);
}

} // namespace fingerpost::io
#endif
