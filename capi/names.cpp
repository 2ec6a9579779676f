// C functions that need no table: version, names, and text forms of addresses and prefixes.
#include <algorithm>
#include <string>
#include <string_view>

#include "capi/handles.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

#define FINGERPOST_TEXT_OF(number) #number
#define FINGERPOST_TEXT(number) FINGERPOST_TEXT_OF(number)
constexpr std::string_view header_version = FINGERPOST_TEXT(FINGERPOST_VERSION_MAJOR) "." FINGERPOST_TEXT(
    FINGERPOST_VERSION_MINOR) "." FINGERPOST_TEXT(FINGERPOST_VERSION_PATCH);
static_assert(header_version == FINGERPOST_VERSION,
              "fingerpost.h and CMakeLists.txt name different versions");

static_assert(max_prefix_text<ipv6_address> + 1 == FINGERPOST_TEXT_BYTES);

// The registry's texts are literals or empty. An empty view may have a null pointer.
const char* c_text(std::string_view literal) noexcept {
    return literal.empty() ? "" : literal.data();
}

template <class T>
status write_text(const T& what, char* text, std::size_t size) noexcept {
    char buffer[FINGERPOST_TEXT_BYTES];
    char* const end = format(what, buffer);
    *end = '\0';
    const auto length = static_cast<std::size_t>(end - buffer) + 1;
    if (length > size)
        return fail(FINGERPOST_INVALID, {"the text does not fit in the buffer"});
    std::copy_n(buffer, length, text);
    return {};
}

} // namespace

extern "C" {

const char* fingerpost_version(void) {
    return FINGERPOST_VERSION;
}

const char* fingerpost_scheme_name(int family, size_t index) {
    return with_family<const char*>(family, nullptr, [&]<class A>(A) {
        const auto entries = schemes<A>();
        return index < entries.size() ? c_text(entries[index].facts.name) : nullptr;
    });
}

const char* fingerpost_scheme_summary(int family, const char* scheme) {
    if (scheme == nullptr)
        return nullptr;
    return with_family<const char*>(family, nullptr, [&]<class A>(A) {
        const auto* const entry = find_scheme<A>(scheme);
        return entry == nullptr ? nullptr : c_text(entry->facts.summary);
    });
}

unsigned fingerpost_scheme_policies(int family, const char* scheme) {
    if (scheme == nullptr)
        return 0;
    return with_family<unsigned>(family, 0, [&]<class A>(A) {
        const auto* const entry = find_scheme<A>(scheme);
        if (entry == nullptr)
            return 0u;
        return 1u << FINGERPOST_AUTOMATIC | 1u << FINGERPOST_REBUILD |
               (entry->patchable ? 1u << FINGERPOST_LEFT_RIGHT : 0u) |
               (entry->patchable_in_place ? 1u << FINGERPOST_IN_PLACE : 0u);
    });
}

const char* fingerpost_isa_name(size_t index) {
    const auto isas = simd::available_isas();
    return index < isas.size() ? c_text(simd::name_of(isas[index])) : nullptr;
}

int fingerpost_parse_address(const char* text, int* family, void* address) {
    return guarded([&]() -> status {
        if (text == nullptr || family == nullptr || address == nullptr)
            return null_pointer();
        const auto read = parse_address(text);
        if (!read)
            return fail(read.error());
        std::visit(
            [&]<class A>(A a) {
                write_network(a, address);
                *family = capi::family<A>;
            },
            *read);
        return {};
    });
}

int fingerpost_parse_prefix(const char* text, fingerpost_prefix* where) {
    return guarded([&]() -> status {
        if (text == nullptr || where == nullptr)
            return null_pointer();
        const auto read = parse_prefix(text);
        if (!read)
            return fail(read.error());
        *where = std::visit([](const auto& p) { return c_prefix(p); }, *read);
        return {};
    });
}

int fingerpost_format_address(int family, const void* address, char* text, size_t size) {
    return guarded([&]() -> status {
        if (address == nullptr || text == nullptr)
            return null_pointer();
        return with_family<status>(
            family, no_family(), [&]<class A>(A) { return write_text(address_of<A>(address), text, size); });
    });
}

int fingerpost_format_prefix(const fingerpost_prefix* where, char* text, size_t size) {
    return guarded([&]() -> status {
        if (text == nullptr)
            return null_pointer();
        return with_prefix(where, [&](const auto& p) { return write_text(p, text, size); });
    });
}

} // extern "C"
