// Writes MaxMind DB files for tests, following the "MaxMind DB File Format Specification": search trees for
// both families, records of 24, 28 and 32 bits, and aliases of the IPv4 networks.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "io/format/mmdb/mmdb_mark.hpp"

namespace fingerpost::io {

namespace mmdb_value {

inline std::string number_bytes(u128 value, unsigned bytes) {
    std::string out;
    for (unsigned i = bytes; i-- != 0;)
        out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
    return out;
}
// The control bytes of a value, for sizes up to 65,820.
inline std::string control(unsigned type, std::size_t size) {
    const std::size_t short_size = size < 29 ? size : size < 285 ? 29 : 30;
    std::string out(1, static_cast<char>((type < 8 ? type << 5 : 0) | short_size));
    if (type >= 8)
        out += static_cast<char>(type - 7);
    if (short_size == 29)
        out += number_bytes(size - 29, 1);
    if (short_size == 30)
        out += number_bytes(size - 285, 2);
    return out;
}
inline std::string string(std::string_view value) {
    return control(2, value.size()) + std::string(value);
}
inline std::string number(unsigned type, u128 value, unsigned bytes) {
    return control(type, bytes) + number_bytes(value, bytes);
}
inline std::string u16(std::uint16_t value) {
    return number(5, value, 2);
}
inline std::string u32(std::uint32_t value) {
    return number(6, value, 4);
}
inline std::string truth(bool value) {
    return control(14, value ? 1 : 0);
}
// A pointer to an offset in the data section.
inline std::string pointer(std::uint32_t offset) {
    return std::string(1, static_cast<char>(1 << 5 | 3 << 3)) + number_bytes(offset, 4);
}
inline std::string map(std::initializer_list<std::pair<std::string_view, std::string>> members) {
    std::string out = control(7, members.size());
    for (const auto& [name, value] : members)
        out += string(name) + value;
    return out;
}
inline std::string array(std::initializer_list<std::string> elements) {
    std::string out = control(11, elements.size());
    for (const std::string& one : elements)
        out += one;
    return out;
}

} // namespace mmdb_value

class mmdb_maker {
  public:
    mmdb_maker(unsigned ip_version, unsigned record_bits)
        : ip_version_(ip_version), width_(ip_version == 4 ? 32 : 128), record_bits_(record_bits), nodes_(1) {}

    // Adds a value to the data section and returns its offset.
    std::uint32_t data(const std::string& value) {
        const auto place = static_cast<std::uint32_t>(data_.size());
        data_ += value;
        return place;
    }
    // `base` is right-aligned to the width of the tree.
    void add(u128 base, unsigned length, std::uint32_t place) { at(base, length) = {kinds::data, place}; }
    // An alias of the node of ::/96, which must have networks already.
    void add_alias(u128 base, unsigned length) {
        const std::uint32_t node = at(0, 96).value;
        at(base, length) = {kinds::node, node};
    }
    void add_node(u128 base, unsigned length, std::uint32_t node) { at(base, length) = {kinds::node, node}; }

    std::string file(std::uint32_t shift = 0) const {
        using namespace mmdb_value;
        const auto count = static_cast<std::uint32_t>(nodes_.size());
        std::string out;
        for (const auto& node : nodes_) {
            const std::uint64_t left = encoded(node[0], count, shift);
            const std::uint64_t right = encoded(node[1], count, shift);
            if (record_bits_ == 28)
                out += number_bytes(left & 0xff'ffff, 3) + number_bytes(left >> 24 << 4 | right >> 24, 1) +
                       number_bytes(right & 0xff'ffff, 3);
            else
                out += number_bytes(left, record_bits_ / 8) + number_bytes(right, record_bits_ / 8);
        }
        out += std::string(16, '\0') + data_ + std::string(mmdb_mark);
        return out + map({{"node_count", u32(count)},
                          {"record_size", u16(static_cast<std::uint16_t>(record_bits_))},
                          {"ip_version", u16(static_cast<std::uint16_t>(ip_version_))},
                          {"database_type", string("Test")},
                          {"languages", mmdb_value::array({string("en")})},
                          {"binary_format_major_version", u16(2)},
                          {"binary_format_minor_version", u16(0)},
                          {"build_epoch", number(9, 1, 8)},
                          {"description", map({{"en", string("a test")}})}});
    }

  private:
    enum class kinds : std::uint8_t { empty, node, data };
    struct record {
        kinds kind = kinds::empty;
        std::uint32_t value = 0;
    };

    record& at(u128 base, unsigned length) {
        std::uint32_t node = 0;
        for (unsigned depth = 0;; ++depth) {
            const auto bit = static_cast<std::size_t>(base >> (width_ - 1 - depth) & 1);
            if (depth + 1 == length)
                return nodes_[node][bit];
            if (nodes_[node][bit].kind != kinds::node) {
                nodes_[node][bit] = {kinds::node, static_cast<std::uint32_t>(nodes_.size())};
                nodes_.emplace_back();
            }
            node = nodes_[node][bit].value;
        }
    }
    static std::uint64_t encoded(const record& one, std::uint32_t count, std::uint32_t shift) {
        return one.kind == kinds::node    ? one.value
               : one.kind == kinds::empty ? count
                                          : count + 16 + one.value + shift;
    }

    unsigned ip_version_;
    unsigned width_;
    unsigned record_bits_;
    std::vector<std::array<record, 2>> nodes_;
    std::string data_;
};

} // namespace fingerpost::io
