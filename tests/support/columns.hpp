// Columns for tests: rows in Arrow's memory layout, with an inaccessible page after each array.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/columns/column_reader.hpp"

namespace fingerpost::testing_columns {

// A byte array that ends at the end of a page. The next page cannot be read.
class guarded_bytes {
  public:
    explicit guarded_bytes(std::string_view bytes) : size_(bytes.size()) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t pages = (bytes.size() + page - 1) / page * page;
        mapped_ = pages + page;
        void* const at = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED || mprotect(static_cast<char*>(at) + pages, page, PROT_NONE) != 0)
            throw std::bad_alloc();
        base_ = static_cast<char*>(at);
        start_ = base_ + (pages - size_);
        std::memcpy(start_, bytes.data(), size_);
    }
    ~guarded_bytes() { munmap(base_, mapped_); }
    guarded_bytes(const guarded_bytes&) = delete;
    guarded_bytes& operator=(const guarded_bytes&) = delete;

    std::span<const char> chars() const { return {start_, size_}; }
    template <class T>
    std::span<const T> as() const {
        return {reinterpret_cast<const T*>(start_), size_ / sizeof(T)};
    }

  private:
    std::size_t size_;
    std::size_t mapped_ = 0;
    char* base_ = nullptr;
    char* start_ = nullptr;
};

template <class T>
std::string raw(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

using row = std::optional<std::string>;

// The validity bits of the rows, after `offset` random bits.
inline std::string validity_bits(const std::vector<row>& rows, std::size_t offset) {
    std::string bits((offset + rows.size() + 7) / 8, '\x5a');
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t bit = offset + i;
        const auto mask = static_cast<char>(1 << bit % 8);
        bits[bit / 8] = static_cast<char>(rows[i] ? bits[bit / 8] | mask : bits[bit / 8] & ~mask);
    }
    return bits;
}

// A column that owns its memory.
class owned_column {
  public:
    explicit owned_column(const std::vector<row>& rows, std::size_t offset)
        : valid_(validity_bits(rows, offset)) {
        value.valid = {reinterpret_cast<const std::uint8_t*>(valid_.chars().data()), offset};
    }

    columns::column value;

  private:
    guarded_bytes valid_;
};

template <class Offset>
class offset_column : public owned_column {
  public:
    // Null rows have bytes too, which Arrow permits.
    explicit offset_column(const std::vector<row>& rows, std::size_t validity_offset = 0,
                           columns::content holds = columns::content::text)
        : owned_column(rows, validity_offset) {
        std::string bytes = "before";
        std::vector<Offset> ends{static_cast<Offset>(bytes.size())};
        for (const row& r : rows) {
            bytes += r.value_or("1.2.3.4");
            ends.push_back(static_cast<Offset>(bytes.size()));
        }
        data_.emplace(bytes);
        offsets_.emplace(raw(ends));
        value.values = columns::offset_layout<Offset>{offsets_->as<Offset>(), data_->chars(), holds};
    }

  private:
    std::optional<guarded_bytes> data_;
    std::optional<guarded_bytes> offsets_;
};

class view_column : public owned_column {
  public:
    // Long rows alternate between two buffers. The views of null rows hold garbage.
    explicit view_column(const std::vector<row>& rows, std::size_t validity_offset = 0,
                         columns::content holds = columns::content::text)
        : owned_column(rows, validity_offset) {
        std::string bytes[2];
        std::vector<columns::view> views;
        for (const row& r : rows) {
            columns::view one{-1, {}};
            std::memset(one.rest, 0x7f, sizeof one.rest);
            if (r) {
                one.size = static_cast<std::int32_t>(r->size());
                if (r->size() <= sizeof one.rest) {
                    std::memset(one.rest, 0, sizeof one.rest);
                    std::memcpy(one.rest, r->data(), r->size());
                } else {
                    const std::int32_t buffer = views.size() % 2;
                    const auto offset = static_cast<std::int32_t>(bytes[buffer].size());
                    std::memcpy(one.rest, r->data(), 4);
                    std::memcpy(one.rest + 4, &buffer, 4);
                    std::memcpy(one.rest + 8, &offset, 4);
                    bytes[buffer] += *r;
                }
            }
            views.push_back(one);
        }
        views_.emplace(raw(views));
        first_.emplace(bytes[0]);
        second_.emplace(bytes[1]);
        buffers_ = {first_->chars(), second_->chars()};
        value.values = columns::view_layout{views_->as<columns::view>(), buffers_, holds};
    }

  private:
    std::optional<guarded_bytes> views_;
    std::optional<guarded_bytes> first_;
    std::optional<guarded_bytes> second_;
    std::vector<std::span<const char>> buffers_;
};

// Parses a row with parse_address() only.
struct parsed_row {
    columns::row_state state = columns::row_state::bad;
    ipv4_address ipv4{};
    ipv6_address ipv6{};

    friend bool operator==(const parsed_row&, const parsed_row&) = default;
};

inline parsed_row parse_slowly(const row& r) {
    if (!r)
        return {.state = columns::row_state::null};
    if (const auto four = parse_address<ipv4_address>(*r))
        return {.state = columns::row_state::ipv4, .ipv4 = *four};
    if (const auto six = parse_address<ipv6_address>(*r))
        return {.state = columns::row_state::ipv6, .ipv6 = *six};
    return {};
}

// The rows of a block in order. Returns an empty vector when the counts or the lists of the block are
// inconsistent.
inline std::vector<parsed_row> rows_of(const columns::block& from) {
    std::vector<parsed_row> rows(from.rows);
    std::size_t ipv4 = 0, ipv6 = 0, nulls = 0, bad = 0;
    for (std::size_t i = 0; i < from.rows; ++i) {
        rows[i].state = from.states[i];
        nulls += from.states[i] == columns::row_state::null;
        bad += from.states[i] == columns::row_state::bad;
        if (from.states[i] == columns::row_state::ipv4) {
            if (ipv4 == from.ipv4.count || from.ipv4.rows[ipv4] != i)
                return {};
            rows[i].ipv4 = from.ipv4.addresses[ipv4++];
        }
        if (from.states[i] == columns::row_state::ipv6) {
            if (ipv6 == from.ipv6.count || from.ipv6.rows[ipv6] != i)
                return {};
            rows[i].ipv6 = from.ipv6.addresses[ipv6++];
        }
    }
    const bool counted =
        ipv4 == from.ipv4.count && ipv6 == from.ipv6.count && nulls == from.nulls && bad == from.bad;
    return counted ? rows : std::vector<parsed_row>{};
}

} // namespace fingerpost::testing_columns
