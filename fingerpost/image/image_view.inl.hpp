// Definitions of image_view<A> members, for the library and for tests of other widths.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/image_format.hpp"
#include "fingerpost/image/image_routes.inl.hpp"
#include "fingerpost/image/image_view.hpp"
#include "fingerpost/image/section_checksums.hpp"
#include "fingerpost/registry/registry.hpp"

namespace fingerpost {

template <class A>
class image_view<A>::parser {
    using failure = std::optional<image_error>;

  public:
    // `file` is the part of a file of `file_bytes` in memory, at least what parse_start() reads.
    parser(std::span<const std::byte> file, std::uint64_t file_bytes) noexcept
        : file_(file), file_bytes_(file_bytes) {}

    // Requires the whole file. Sections are checked while their checksums are computed, so the checks must
    // accept any contents. A wrong checksum takes precedence over other errors. Throws std::bad_alloc.
    expected<fib_pointer<A>, image_error> open(const build_options& options) {
        if (const failure fault = parse_start())
            return unexpected{*fault};
        if (const failure fault = read_sections())
            return unexpected{*fault};
        checksums_.start();
        auto fib = read_contents(options);
        if (const auto offset = checksums_.first_wrong())
            return unexpected{*damaged(*offset, "a section has the wrong checksum")};
        return fib;
    }
    // Checks the header and the checksum of the section table, but no section.
    failure parse_start() noexcept {
        if (const failure fault = read_start())
            return fault;
        return read_header();
    }
    const image_routes<A>& routes() const noexcept { return routes_; }
    const value_view& values() const noexcept { return values_; }
    const scheme_entry<A>* scheme() const noexcept { return scheme_; }

  private:
    expected<fib_pointer<A>, image_error> read_contents(const build_options& options) noexcept {
        if (const failure fault = read_routes())
            return unexpected{*fault};
        if (const failure fault = read_values())
            return unexpected{*fault};
        return open_fib(options);
    }
    expected<fib_pointer<A>, image_error> open_fib(const build_options& options) const noexcept {
        if (header_.version < first_version_with_these_fibs)
            return build_fib(options);
        auto opened = scheme_->open(saved_, options);
        if (opened) {
            (*opened)->set_long_routes(routes_.longer_than(first_half));
            return std::move(*opened);
        }
        const saved_fault& fault = opened.error();
        if (fault.shortage != errc::ok)
            return unexpected{image_shortage(fault.shortage)};
        return unexpected{image_error{image_errc::damaged, offset_of(fault), fault.reason, 0}};
    }
    static failure fail(image_errc code, std::uint64_t offset, const char* reason) noexcept {
        return image_error{code, offset, reason, 0};
    }
    expected<fib_pointer<A>, image_error> build_fib(const build_options& options) const noexcept try {
        auto built = scheme_->build(fingerpost::routes<A>({routes_.begin(), routes_.end()}), options);
        if (built)
            return std::move(*built);
        return unexpected{image_shortage(built.error())};
    } catch (...) {
        return unexpected{image_shortage(reason_of_exception())};
    }
    static failure damaged(std::uint64_t offset, const char* reason) noexcept {
        return fail(image_errc::damaged, offset, reason);
    }
    std::uint64_t offset_of(const void* at) const noexcept {
        return at == nullptr ? 0
                             : static_cast<std::uint64_t>(static_cast<const std::byte*>(at) - file_.data());
    }
    std::uint64_t offset_of(const saved_fault& fault) const noexcept {
        switch (fault.where) {
        case saved_fault::part::number:
            return offsetof(image_header, numbers) + fault.index * sizeof header_.numbers[0];
        case saved_fault::part::section_count:
            return offsetof(image_header, sections);
        case saved_fault::part::section:
            return sizeof header_ + (route_sections + fault.index) * sizeof(image_section);
        case saved_fault::part::contents:
            break;
        }
        return offset_of(fault.at);
    }

    // Detects files of another kind, machine or version before trusting any number.
    failure read_start() noexcept {
        const std::size_t there = std::min(file_.size(), image_magic.size());
        if (there == 0 || std::memcmp(file_.data(), image_magic.data(), there) != 0)
            return fail(image_errc::not_an_image, 0, "this is not an image of a table");
        if (file_bytes_ < sizeof header_)
            return fail(image_errc::truncated, file_bytes_, "the file ends within its header");
        std::memcpy(&header_, file_.data(), sizeof header_);
        if (header_.byte_order == __builtin_bswap32(image_byte_order))
            return fail(image_errc::other_byte_order, offsetof(image_header, byte_order),
                        "the image was written on a machine with the other byte order");
        if (header_.byte_order != image_byte_order)
            return damaged(offsetof(image_header, byte_order), "the byte order mark is invalid");
        if (header_.version < oldest_image_version || header_.version > image_version)
            return fail(image_errc::other_version, offsetof(image_header, version),
                        "the image has a format version that this program does not support");
        return std::nullopt;
    }
    failure read_header() noexcept {
        if (header_.sections > most_sections)
            return damaged(offsetof(image_header, sections), "there are too many sections");
        if (section_offset_of_first(header_.sections) > file_bytes_)
            return fail(image_errc::truncated, file_bytes_, "the file ends within its section table");
        if (header_checksum(file_, header_.sections) != header_.checksum)
            return damaged(offsetof(image_header, checksum),
                           "header and section table have the wrong checksum");
        if (header_.address_bits != A::bits)
            return fail(image_errc::other_width, offsetof(image_header, address_bits),
                        "the image has addresses of another width");
        if (header_.version >= first_version_with_two && header_.next != 0 &&
            header_.next != header_.file_bytes)
            return damaged(offsetof(image_header, next), "the second image does not follow the first");
        if (!find_saved_scheme())
            return fail(image_errc::other_width, offsetof(image_header, scheme),
                        "the image is of another scheme");
        if (header_.file_bytes > file_bytes_)
            return fail(image_errc::truncated, file_bytes_, "the file ends before its last section does");
        if (header_.file_bytes < file_bytes_)
            return fail(image_errc::truncated, header_.file_bytes,
                        "the file continues after its last section");
        return std::nullopt;
    }

    static constexpr std::size_t route_sections = 3;
    bool find_saved_scheme() noexcept {
        const std::string_view field(header_.scheme.data(), header_.scheme.size());
        const std::string_view name = field.substr(0, field.find('\0'));
        scheme_ = find_scheme<A>(name);
        return scheme_ != nullptr && scheme_->saveable &&
               field.find_first_not_of('\0', name.size()) == std::string_view::npos;
    }
    failure read_sections() {
        if (header_.sections < route_sections)
            return damaged(offsetof(image_header, sections), "sections are missing");
        saved_.numbers = header_.numbers;
        saved_.seeds = header_.seeds;
        std::uint64_t offset = section_offset_of_first(header_.sections);
        for (std::size_t i = 0; i < header_.sections; ++i) {
            const std::size_t at = sizeof header_ + i * sizeof(image_section);
            image_section section;
            std::memcpy(&section, file_.data() + at, sizeof section);
            if (!may_stand(section.kind, i))
                return damaged(at, "a section of another kind belongs here");
            if (section.offset != offset || section.bytes > file_.size() || offset > file_.size() ||
                padded(section.bytes) > file_.size() - offset)
                return damaged(at, "a section is outside the file or does not follow the previous one");
            checksums_.add(offset, file_.subspan(offset, padded(section.bytes)), section.checksum);
            const auto bytes = file_.subspan(section.offset, section.bytes);
            if (i < route_sections)
                route_arrays_[i] = bytes;
            else if (section.kind >= first_value_section)
                value_arrays_.push_back({section.kind, section.detail, bytes});
            else
                saved_.sections.push_back({section.kind, section.detail, bytes});
            offset += padded(section.bytes);
        }
        if (offset != file_.size())
            return damaged(offset, "the sections end before the file does");
        if (!value_arrays_.empty() && value_arrays_.size() != value_sections)
            return damaged(offsetof(image_header, sections), "sections of values are missing");
        return std::nullopt;
    }
    static constexpr auto first_value_section = static_cast<std::uint32_t>(value_section::cells);
    static constexpr std::size_t value_sections = 3;
    // Sections of values are last, in their order.
    bool may_stand(std::uint32_t kind, std::size_t place) const noexcept {
        if (place < route_sections)
            return kind == place + 1;
        if (kind >= first_value_section)
            return kind == first_value_section + value_arrays_.size() &&
                   value_arrays_.size() < value_sections && header_.version >= first_version_with_values;
        return kind >= first_own_section && value_arrays_.empty();
    }
    template <class T>
    static bool read_as(std::span<const std::byte> bytes, std::span<const T>& items) noexcept {
        static_assert(alignof(T) <= image_alignment);
        items = {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
        return bytes.size() % sizeof(T) == 0;
    }
    template <class T>
    bool get(route_section kind, std::span<const T>& items) const noexcept {
        const std::span<const std::byte> bytes = route_arrays_[static_cast<std::size_t>(kind) - 1];
        return read_as(bytes, items) && items.size() == header_.routes;
    }
    failure read_routes() noexcept {
        std::span<const A> bases;
        std::span<const std::uint8_t> lengths;
        std::span<const next_hop> hops;
        if (header_.routes > file_.size() || !get(route_section::bases, bases) ||
            !get(route_section::lengths, lengths) || !get(route_section::hops, hops))
            return damaged(offsetof(image_header, routes), "the sections of the routes have the wrong size");
        routes_ = {bases, lengths, hops};
        if (const std::size_t wrong = routes_.first_wrong(); wrong != routes_.size())
            return damaged(offset_of(&bases[wrong]), "a route is not canonical or not in order");
        return std::nullopt;
    }

    failure read_values() noexcept {
        if (value_arrays_.empty())
            return std::nullopt;
        const saved_section& first = value_arrays_[0];
        std::span<const std::uint32_t> cells;
        std::span<const std::uint64_t> ends;
        std::span<const char> bytes;
        if (!read_as(first.bytes, cells) || !read_as(value_arrays_[1].bytes, ends) ||
            !read_as(value_arrays_[2].bytes, bytes))
            return damaged(offset_of(first.bytes.data()), "the sections of the values have the wrong size");
        value_types types;
        if (const char* const reason = read_types(ends, bytes, types))
            return damaged(offset_of(first.bytes.data()), reason);
        if (const char* const reason = value_view::make(cells, ends, bytes, first.detail, values_, types))
            return damaged(offset_of(first.bytes.data()), reason);
        if (routes_.has_hops_from(values_.rows()))
            return damaged(offset_of(route_arrays_[2].data()), "a route has no row of values");
        return std::nullopt;
    }

    // Reads the two details of the value sections. Returns a reason if they are invalid, else null.
    const char* read_types(std::span<const std::uint64_t> ends, std::span<const char> bytes,
                           value_types& types) const noexcept {
        const std::uint32_t missing = value_arrays_[1].detail;
        const std::uint32_t number = value_arrays_[2].detail;
        if (missing > ends.size() || number > ends.size())
            return "the text for missing cells or types does not exist";
        if (missing != 0)
            types.missing = missing - 1;
        if (number == 0)
            return nullptr;
        const std::uint64_t begin = number == 1 ? 0 : ends[number - 2];
        const std::uint64_t end = ends[number - 1];
        if (begin > end || end > bytes.size())
            return "a text of the values ends at an invalid position";
        types.columns = {reinterpret_cast<const column_type*>(bytes.data() + begin), end - begin};
        if (types.columns.empty())
            return "the number of types and columns differs";
        return nullptr;
    }

    std::span<const std::byte> file_;
    std::uint64_t file_bytes_;
    image_header header_;
    const scheme_entry<A>* scheme_ = nullptr;
    std::array<std::span<const std::byte>, route_sections> route_arrays_;
    saved_arrays saved_;
    std::vector<saved_section> value_arrays_;
    image_routes<A> routes_;
    value_view values_;
    section_checksums checksums_;
};

template <class A>
expected<image_view<A>, image_error> image_view<A>::make(std::span<const std::byte> file,
                                                         const build_options& options) noexcept try {
    parser read(file, file.size());
    auto fib = read.open(options);
    if (!fib)
        return unexpected{fib.error()};
    image_view view;
    view.fib_.reset(fib->release());
    view.routes_ = read.routes();
    view.values_ = read.values();
    view.scheme_ = read.scheme();
    return view;
} catch (...) {
    return unexpected{image_shortage(reason_of_exception())};
}

template <class A>
std::optional<image_error> image_view<A>::refuse_start(std::span<const std::byte> start,
                                                       std::uint64_t file_bytes) noexcept {
    return parser(start, file_bytes).parse_start();
}

} // namespace fingerpost
