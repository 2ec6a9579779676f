// The part of the C interface that needs no table: versions, errors, names and the text form of addresses.
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

// Returns ask(A{}) for the family's address type, or the fallback if it is no family.
template <class R, class F>
R with_family(int family, R otherwise, F ask) {
    if (family == FINGERPOST_IPV4)
        return ask(ipv4_address{});
    return family == FINGERPOST_IPV6 ? ask(ipv6_address{}) : otherwise;
}

// Texts of the registry are literals or empty, and an empty view may have a null pointer.
const char* c_text(std::string_view literal) noexcept {
    return literal.empty() ? "" : literal.data();
}

template <class T>
int write_text(const T& what, char* text, std::size_t size) noexcept {
    char made[FINGERPOST_TEXT_BYTES];
    char* const end = format(what, made);
    *end = '\0';
    const auto length = static_cast<std::size_t>(end - made) + 1;
    if (length > size)
        return FINGERPOST_INVALID;
    std::copy_n(made, length, text);
    return FINGERPOST_OK;
}

// Why a text was refused; empty if it was not.
template <class T>
std::string refusal(const expected<T, text_error>& read) {
    return read ? std::string() : message(read.error());
}

// Writes the result of ask(A{}) for the family's address type; a reason that is too long is cut.
template <class F>
int explain(int family, const char* text, char* reason, std::size_t size, F ask) noexcept {
    if (text == nullptr || reason == nullptr || size == 0)
        return FINGERPOST_INVALID;
    if (family != FINGERPOST_IPV4 && family != FINGERPOST_IPV6)
        return FINGERPOST_INVALID;
    return guarded([&] {
        const std::string words = with_family<std::string>(family, {}, ask);
        if (words.empty())
            return static_cast<int>(FINGERPOST_NOT_FOUND);
        reason[words.copy(reason, size - 1)] = '\0';
        return static_cast<int>(FINGERPOST_OK);
    });
}

} // namespace

extern "C" {

const char* fingerpost_version(void) {
    return FINGERPOST_VERSION;
}

const char* fingerpost_error_text(int code) {
    switch (code) {
    case FINGERPOST_SYSTEM:
        return "the operating system refused";
    case FINGERPOST_NOT_AN_IMAGE:
        return "not an image of a table";
    case FINGERPOST_OTHER_IMAGE:
        return "an image of another version, byte order, width or scheme";
    case FINGERPOST_DAMAGED:
        return "a damaged image";
    default:
        return c_text(message(static_cast<errc>(std::clamp(code, -1, 255))));
    }
}

const char* fingerpost_scheme_name(int family, size_t index) {
    return with_family<const char*>(family, nullptr, [&]<class A>(A) {
        const auto all = schemes<A>();
        return index < all.size() ? c_text(all[index].facts.name) : nullptr;
    });
}

const char* fingerpost_scheme_summary(int family, const char* scheme) {
    if (scheme == nullptr)
        return nullptr;
    return with_family<const char*>(family, nullptr, [&]<class A>(A) {
        const auto* const found = find_scheme<A>(scheme);
        return found == nullptr ? nullptr : c_text(found->facts.summary);
    });
}

unsigned fingerpost_scheme_policies(int family, const char* scheme) {
    if (scheme == nullptr)
        return 0;
    return with_family<unsigned>(family, 0, [&]<class A>(A) {
        const auto* const found = find_scheme<A>(scheme);
        if (found == nullptr)
            return 0u;
        return 1u << FINGERPOST_AUTOMATIC | 1u << FINGERPOST_REBUILD |
               (found->patchable ? 1u << FINGERPOST_LEFT_RIGHT : 0u) |
               (found->patchable_in_place ? 1u << FINGERPOST_IN_PLACE : 0u);
    });
}

const char* fingerpost_isa_name(size_t index) {
    const auto all = simd::available_isas();
    return index < all.size() ? c_text(simd::name_of(all[index])) : nullptr;
}

int fingerpost_parse_address(int family, const char* text, void* address) {
    if (text == nullptr || address == nullptr)
        return FINGERPOST_INVALID;
    return with_family<int>(family, FINGERPOST_INVALID, [&]<class A>(A) {
        const auto read = parse_address<A>(text);
        if (read)
            write_network(*read, address);
        return read ? FINGERPOST_OK : FINGERPOST_INVALID;
    });
}

int fingerpost_parse_prefix(int family, const char* text, fingerpost_prefix* where) {
    if (text == nullptr || where == nullptr)
        return FINGERPOST_INVALID;
    return with_family<int>(family, FINGERPOST_INVALID, [&]<class A>(A) {
        const auto read = parse_prefix<A>(text);
        if (read)
            *where = c_prefix(*read);
        return read ? FINGERPOST_OK : FINGERPOST_INVALID;
    });
}

int fingerpost_explain_address(int family, const char* text, char* reason, size_t size) {
    return explain(family, text, reason, size, [&]<class A>(A) { return refusal(parse_address<A>(text)); });
}

int fingerpost_explain_prefix(int family, const char* text, char* reason, size_t size) {
    return explain(family, text, reason, size, [&]<class A>(A) { return refusal(parse_prefix<A>(text)); });
}

int fingerpost_format_address(int family, const void* address, char* text, size_t size) {
    if (address == nullptr || text == nullptr)
        return FINGERPOST_INVALID;
    return with_family<int>(family, FINGERPOST_INVALID,
                            [&]<class A>(A) { return write_text(address_of<A>(address), text, size); });
}

int fingerpost_format_prefix(int family, const fingerpost_prefix* where, char* text, size_t size) {
    if (where == nullptr || text == nullptr)
        return FINGERPOST_INVALID;
    return with_family<int>(family, FINGERPOST_INVALID, [&]<class A>(A) -> int {
        if (where->length > A::bits)
            return FINGERPOST_INVALID;
        return write_text(canonical_of<A>(*where), text, size);
    });
}

} // extern "C"
