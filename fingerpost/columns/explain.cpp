// Parses a bad row again to explain why it is bad.
#include "fingerpost/columns/column_reader.hpp"
#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/columns/kernels.hpp"

namespace fingerpost::columns {
namespace {

// Finds row `row` in either layout of bytes, even if it is null.
struct finder {
    std::size_t row;
    piece& out;

    template <class Offset>
    bool operator()(const offset_layout<Offset>& in) const {
        return find_row(offset_rows<Offset>{in.offsets.data(), in.data.data(), in.data.size()}, row, out);
    }
    bool operator()(const view_layout& in) const {
        return find_row(view_rows{in.views.data(), in.views.size(), in.buffers.data(), in.buffers.size()},
                        row, out);
    }
    template <class Layout>
    bool operator()(const Layout&) const {
        return false;
    }
};

// In layouts without separate bytes for each row, no row is bad.
struct content_of {
    template <class Layout>
    std::optional<content> operator()(const Layout& in) const {
        if constexpr (requires { in.holds; })
            return in.holds;
        else
            return std::nullopt;
    }
};

std::string as_hex(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

bad_row explain_binary(std::size_t row, std::string_view bytes) {
    if (bytes.size() == sizeof(ipv4_address) || bytes.size() == sizeof(ipv6_address))
        return {row, as_hex(bytes), {}};
    return {row, as_hex(bytes),
            "a binary address has 4 or 16 bytes, and this has " + std::to_string(bytes.size())};
}

} // namespace

std::optional<std::string_view> bytes_of(const column& of, std::size_t row) noexcept {
    piece bytes{};
    if (!has_value(of.valid, row) || !std::visit(finder{row, bytes}, of.values))
        return std::nullopt;
    return std::string_view(bytes.at, bytes.size);
}

bad_row explain(const column& of, std::size_t row) {
    const auto holds = std::visit(content_of{}, of.values);
    if (!holds || !has_value(of.valid, row))
        return {row, {}, {}};
    const auto bytes = bytes_of(of, row);
    if (!bytes)
        return {row, {}, "the row is outside the buffers of its column"};
    if (*holds == content::binary)
        return explain_binary(row, *bytes);
    const auto parsed = parse_address(*bytes);
    return {row, std::string(*bytes), parsed ? std::string() : message(parsed.error())};
}

} // namespace fingerpost::columns
