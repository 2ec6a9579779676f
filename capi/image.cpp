// Saved images in the C interface.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capi/batches.hpp"
#include "capi/queries.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

constexpr int code_of(image_errc code) noexcept {
    switch (code) {
    case image_errc::ok:
        return FINGERPOST_OK;
    case image_errc::system:
        return FINGERPOST_SYSTEM;
    case image_errc::out_of_memory:
        return FINGERPOST_OUT_OF_MEMORY;
    case image_errc::capacity:
        return FINGERPOST_CAPACITY;
    case image_errc::not_an_image:
        return FINGERPOST_NOT_AN_IMAGE;
    case image_errc::other_byte_order:
    case image_errc::other_version:
    case image_errc::other_width:
        return FINGERPOST_OTHER_IMAGE;
    case image_errc::truncated:
    case image_errc::damaged:
        return FINGERPOST_DAMAGED;
    }
    return FINGERPOST_DAMAGED;
}

// "PATH: WHAT", or only WHAT without a path. `what` gets at most half of the text, which is more than any
// needs.
void write_message(const char* path, std::string_view what, fingerpost_failure& to) noexcept {
    std::string_view name = path == nullptr ? "" : path;
    const std::string_view between = path == nullptr ? "" : ": ";
    what = what.substr(0, sizeof to.text / 2);
    const std::size_t room = sizeof to.text - 1 - between.size() - what.size();
    name.remove_prefix(name.size() - std::min(name.size(), room));
    char* end = to.text;
    for (const std::string_view part : {name, between, what})
        end = std::copy(part.begin(), part.end(), end);
    *end = '\0';
}

// `why` has no code if the file is not at fault; then it may have a reason that is more specific than ours.
void tell(const char* path, int code, const image_error& why, fingerpost_failure& to) noexcept {
    to.offset = why.offset;
    to.system_error = why.system_error;
    if (!why.failed())
        return write_message(path, *why.reason == '\0' ? fingerpost_error_text(code) : why.reason, to);
    try {
        write_message(path, to_string(why), to);
    } catch (...) {
        (void)reason_of_exception();
        write_message(path, why.reason, to);
    }
}

// run(why) returns a code, and writes details to `why`.
template <class F>
int telling(const char* path, fingerpost_failure* failure, F run) noexcept {
    image_error why;
    const int code = guarded([&]() -> int { return run(why); });
    if (code != FINGERPOST_OK && failure != nullptr)
        tell(path, code, why, *failure);
    return code;
}

value_view values_of(const fingerpost_image* of) noexcept {
    if (of == nullptr)
        return {};
    return std::visit([](const auto& one) { return one.values(); }, of->self);
}

// All texts of the values, a zero behind each. Throws std::bad_alloc.
std::vector<char> with_zeros(const value_view& values) {
    std::vector<char> all;
    if (values.columns() == 0)
        return all;
    const std::span<const std::uint64_t> ends = values.ends();
    all.reserve(values.bytes().size() + ends.size());
    std::uint64_t from = 0;
    for (const std::uint64_t end : ends) {
        const auto text = values.bytes().subspan(from, end - from);
        all.insert(all.end(), text.begin(), text.end());
        all.push_back('\0');
        from = end;
    }
    return all;
}

// The text of a cell, given its position among all cells, those of the names first.
const char* give(const fingerpost_image* of, const value_view& values, std::size_t cell,
                 std::size_t* size) noexcept {
    const std::uint32_t number = values.cells()[cell];
    const std::uint64_t start = number == 0 ? 0 : values.ends()[number - 1];
    if (size != nullptr)
        *size = values.ends()[number] - start;
    return of->texts.data() + start + number;
}

template <class A>
expected<any_image, image_error> as_any(expected<image<A>, image_error> opened) noexcept {
    if (!opened)
        return unexpected{opened.error()};
    return any_image(std::move(*opened));
}

// Opens the image of a file or, of two, the only one that has routes, else that of IPv4.
expected<any_image, image_error> open_with_routes(path_ref path, const build_options& options) noexcept {
    auto first = open_any_image(path, options);
    const bool is_wanted =
        !first || std::visit([](const auto& one) { return one.size() != 0 || !one.has_second(); }, *first);
    if (is_wanted)
        return first;
    auto second = std::holds_alternative<ipv4_image>(*first) ? as_any(ipv6_image::open(path, options))
                                                             : as_any(ipv4_image::open(path, options));
    const bool has_routes = second && std::visit([](const auto& one) { return one.size() != 0; }, *second);
    return has_routes || !second ? std::move(second) : std::move(first);
}

// open(options) opens the file; an error without a code means wrong arguments.
template <class F>
int open_by(const char* path, const char* isa, fingerpost_image** opened, fingerpost_failure* failure,
            F open) noexcept {
    return telling(path, failure, [&](image_error& why) -> int {
        if (path == nullptr || opened == nullptr)
            return FINGERPOST_INVALID;
        build_options options;
        if (const errc fault = choose_isa(isa, options); fault != errc::ok) {
            why.reason = "this CPU runs no such instruction set";
            return capi::code_of(fault);
        }
        auto found = open(options);
        if (!found) {
            why = found.error();
            return why.failed() ? code_of(why.code) : FINGERPOST_INVALID;
        }
        auto made = std::make_unique<fingerpost_image>(fingerpost_image{std::move(*found), options.isa});
        made->texts = with_zeros(values_of(made.get()));
        *opened = made.release();
        return FINGERPOST_OK;
    });
}

} // namespace

extern "C" {

int fingerpost_save(const fingerpost_table* of, const char* path, fingerpost_failure* failure) {
    return telling(path, failure, [&](image_error& why) -> int {
        if (of == nullptr || path == nullptr)
            return FINGERPOST_INVALID;
        why = std::visit([&]<class A>(const table<A>& one) { return image<A>::save(path, one); }, of->self);
        return code_of(why.code);
    });
}

int fingerpost_save_both(const fingerpost_table* four, const fingerpost_table* six, const char* path,
                         fingerpost_failure* failure) {
    return telling(path, failure, [&](image_error& why) -> int {
        if (four == nullptr || six == nullptr || path == nullptr)
            return FINGERPOST_INVALID;
        const auto* const ipv4 = std::get_if<ipv4_table>(&four->self);
        const auto* const ipv6 = std::get_if<ipv6_table>(&six->self);
        if (ipv4 == nullptr || ipv6 == nullptr)
            return FINGERPOST_INVALID;
        why = save_both_images(path, routes(ipv4->copy_routes()), {}, routes(ipv6->copy_routes()), {});
        return code_of(why.code);
    });
}

int fingerpost_open(const char* path, const char* isa, fingerpost_image** opened,
                    fingerpost_failure* failure) {
    return open_by(path, isa, opened, failure,
                   [&](const build_options& options) { return open_with_routes(path, options); });
}

int fingerpost_open_family(const char* path, int family, const char* isa, fingerpost_image** opened,
                           fingerpost_failure* failure) {
    return open_by(path, isa, opened, failure,
                   [&](const build_options& options) -> expected<any_image, image_error> {
                       if (family == FINGERPOST_IPV4)
                           return as_any(ipv4_image::open(path, options));
                       if (family == FINGERPOST_IPV6)
                           return as_any(ipv6_image::open(path, options));
                       return unexpected{image_error{}};
                   });
}

void fingerpost_image_close(fingerpost_image* gone) {
    delete gone;
}

int fingerpost_image_family(const fingerpost_image* of) {
    if (of == nullptr)
        return 0;
    return std::holds_alternative<ipv4_image>(of->self) ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
}

size_t fingerpost_image_memory(const fingerpost_image* of) {
    if (of == nullptr)
        return 0;
    const auto bytes = std::visit([](const auto& one) { return one.memory_bytes(); }, of->self);
    return bytes + of->texts.capacity();
}

uint32_t fingerpost_image_lookup(const fingerpost_image* in, const void* address) {
    if (in == nullptr || address == nullptr)
        return FINGERPOST_NO_ROUTE;
    return std::visit([&]<class A>(const image<A>& one) { return one.lookup(address_of<A>(address)).id; },
                      in->self);
}

int fingerpost_image_lookup_batch(const fingerpost_image* in, const void* addresses, size_t count,
                                  uint32_t* next_hops) {
    if (in == nullptr || !is_batch(addresses, count, next_hops))
        return FINGERPOST_INVALID;
    std::visit(
        [&]<class A>(const image<A>& one) { lookup_network<A>(in->isa, one, addresses, count, next_hops); },
        in->self);
    return FINGERPOST_OK;
}

int fingerpost_image_lookup_ipv4(const fingerpost_image* in, const uint32_t* addresses, size_t count,
                                 uint32_t* next_hops) {
    if (in == nullptr || !is_batch(addresses, count, next_hops))
        return FINGERPOST_INVALID;
    const auto* const four = std::get_if<ipv4_image>(&in->self);
    if (four == nullptr)
        return FINGERPOST_UNSUPPORTED;
    lookup_numbers(*four, addresses, count, next_hops);
    return FINGERPOST_OK;
}

int fingerpost_image_lookup_first64(const fingerpost_image* in, const uint64_t* first, size_t count,
                                    uint32_t* next_hops) {
    if (in == nullptr || !is_batch(first, count, next_hops))
        return FINGERPOST_INVALID;
    const auto* const six = std::get_if<ipv6_image>(&in->self);
    return six == nullptr ? FINGERPOST_UNSUPPORTED : lookup_first64(*six, first, count, next_hops);
}

int fingerpost_image_lookup_halves(const fingerpost_image* in, const uint64_t* first, const uint64_t* low,
                                   size_t count, uint32_t* next_hops) {
    if (in == nullptr || !is_batch(first, count, next_hops) || !is_batch(low, count, next_hops))
        return FINGERPOST_INVALID;
    const auto* const six = std::get_if<ipv6_image>(&in->self);
    return six == nullptr ? FINGERPOST_UNSUPPORTED : lookup_halves(*six, first, low, count, next_hops);
}

size_t fingerpost_image_count(const fingerpost_image* of) {
    return count_of(of);
}

int fingerpost_image_get(const fingerpost_image* of, const fingerpost_prefix* where, uint32_t* next_hop) {
    return get(of, where, next_hop);
}

int fingerpost_image_match(const fingerpost_image* of, const void* address, fingerpost_route* told) {
    return match(of, address, told);
}

int fingerpost_image_match_both(const fingerpost_image* ipv4, const fingerpost_image* ipv6, int family,
                                const void* address, fingerpost_route* told, int* told_family) {
    return match_both(ipv4, ipv6, family, address, told, told_family);
}

int fingerpost_image_cover(const fingerpost_image* of, const fingerpost_prefix* where,
                           fingerpost_route* told) {
    return cover(of, where, told);
}

int fingerpost_image_for_each(const fingerpost_image* of, fingerpost_visit visit, void* context) {
    if (of == nullptr || visit == nullptr)
        return FINGERPOST_INVALID;
    return guarded([&]() -> int {
        return std::visit([&](const auto& one) { return walk(one.routes(), visit, context); }, of->self);
    });
}

size_t fingerpost_image_columns(const fingerpost_image* of) {
    return values_of(of).columns();
}

size_t fingerpost_image_rows(const fingerpost_image* of) {
    return values_of(of).rows();
}

const char* fingerpost_image_column_name(const fingerpost_image* of, size_t column, size_t* size) {
    const value_view values = values_of(of);
    return column < values.columns() ? give(of, values, column, size) : nullptr;
}

const char* fingerpost_image_value(const fingerpost_image* of, uint32_t hop, size_t column, size_t* size) {
    const value_view values = values_of(of);
    const bool is_there = hop < values.rows() && column < values.columns();
    return is_there ? give(of, values, (std::size_t{hop} + 1) * values.columns() + column, size) : nullptr;
}

} // extern "C"
