// Fuzzes opening saved images: bytes become an image with valid checksums, so that the checks after them are
// reached. An accepted image must answer any address on every ISA without reading outside its bytes.
//
// Seeds are images; tests/unit/image/image_damage_test.cpp writes those of the current version.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/image/image_format.hpp"
#include "fingerpost/image/image_view.hpp"

namespace fingerpost {
namespace {

// Addresses of routes and their neighbours, and others made from the bytes of the file.
template <class A>
std::vector<A> some_addresses(const image_routes<A>& routes, std::span<const std::byte> file) {
    using value = typename A::value_type;
    std::vector<A> at{A::first(), A::last()};
    for (std::size_t i = 0; i < std::min<std::size_t>(routes.size(), 200); ++i) {
        const prefix<A> where = routes[i].where;
        for (const A a : {where.first(), where.last()})
            for (const value step : {value{0}, value{1}, static_cast<value>(~value{0})})
                at.push_back(A{static_cast<value>(a.value + step)});
    }
    for (std::size_t i = 0; i + sizeof(A) <= std::min<std::size_t>(file.size(), 2048); i += sizeof(A)) {
        A a;
        std::memcpy(&a, file.data() + i, sizeof a);
        at.push_back(a);
    }
    // Most faults are possible in the tiers, so all addresses of some cells are tried.
    const std::size_t known = at.size();
    for (std::size_t i = 0; i < known; ++i)
        at.push_back(A{static_cast<value>(at[i].value ^ (value{0x9e3779b9} << (A::bits / 2)))});
    return at;
}

// Reads each byte, so that the sanitizers check the access.
void touch(std::string_view text) {
    unsigned sum = 0;
    for (const char c : text)
        sum += static_cast<unsigned char>(c);
    volatile unsigned sink = sum;
    (void)sink;
}

template <class A>
void open_and_ask(std::span<const std::byte> file) {
    for (const simd::isa isa : simd::available_isas()) {
        const auto made = image_view<A>::make(file, {.isa = isa});
        if (!made)
            return;
        const std::vector<A> at = some_addresses(made->routes(), file);
        std::vector<next_hop> out(at.size());
        for (std::size_t i = 0; i < made->routes().size() && made->values().columns() != 0; ++i)
            for (std::size_t column = 0; column < made->values().columns(); ++column)
                touch(made->values().cell(made->routes()[i].hop, column));
        made->fib().lookup(std::span<const A>(at), std::span<next_hop>(out));
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (made->fib().lookup(at[i]) != out[i])
                __builtin_trap();
            const auto found = made->routes().match(at[i]);
            if (found && (!found->where.contains(at[i]) || made->routes().get(found->where) != found->hop))
                __builtin_trap();
        }
    }
}

} // namespace
} // namespace fingerpost

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fingerpost;
    auto file = aligned_array<std::byte>::make(size);
    if (!file || size < sizeof(image_header))
        return 0;
    std::memcpy(file->data(), data, size);
    image_header header;
    std::memcpy(&header, data, sizeof header);
    header.file_bytes = size;
    std::memcpy(file->data(), &header, sizeof header);
    seal_image(file->span());
    if (header.address_bits == 32)
        open_and_ask<ipv4_address>(file->span());
    else
        open_and_ask<ipv6_address>(file->span());
    return 0;
}
