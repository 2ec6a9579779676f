// Makes a FIB and routes of the bytes of an image, wherever these lie, after checking all of them.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/packed_check.hpp"
#include "fingerpost/fib/packed_tiers.hpp"
#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/table/image_error.hpp"
#include "fingerpost/table/image_format.hpp"
#include "fingerpost/table/image_routes.hpp"

namespace fingerpost {

// Copied freely, valid as long as the bytes are, which it was made of.
template <class A>
class image_view {
  public:
    // `file` aligned to a cache line, and nobody changes it from now on: what has been checked is not checked
    // again. Takes time linear in its size.
    static expected<image_view, image_error> make(std::span<const std::byte> file,
                                                  const build_options& options = {}) noexcept;

    // What make() would say of a file of `file_bytes` that begins with `start`, as far as header and section
    // table tell it: for who wants to know before the file is read. `start` holds most_start_bytes, or all of
    // a file that has fewer.
    static std::optional<image_error> refuse_start(std::span<const std::byte> start,
                                                   std::uint64_t file_bytes) noexcept {
        return parser(start, file_bytes).parse_start();
    }

    const packed_lookup<A>& fib() const noexcept { return fib_; }
    const image_routes<A>& routes() const noexcept { return routes_; }
    // Besides the bytes it was made of; shared by all copies.
    std::size_t memory_bytes() const noexcept {
        std::size_t bytes = 0;
        if (rehashed_ != nullptr)
            for (const cell_map<A>& cells : *rehashed_)
                bytes += cells.memory_bytes();
        return bytes;
    }

  private:
    class parser;
    using cell_maps = std::vector<cell_map<A>>;

    packed_lookup<A> fib_;
    image_routes<A> routes_;
    std::shared_ptr<const cell_maps> rehashed_; // null where those in the file have keys
};

template <class A>
class image_view<A>::parser {
    using failure = std::optional<image_error>;

  public:
    // `file` are the bytes that there are of a file of `file_bytes`: at least all that parse_start() reads.
    parser(std::span<const std::byte> file, std::uint64_t file_bytes) noexcept
        : file_(file), file_bytes_(file_bytes) {}

    // Throws std::bad_alloc. The whole file is there.
    failure parse() {
        if (const failure found = parse_start())
            return found;
        using step_type = failure (parser::*)();
        const step_type steps[] = {&parser::read_sections, &parser::read_fib, &parser::read_routes};
        for (const step_type step : steps)
            if (const failure found = (this->*step)())
                return found;
        return std::nullopt;
    }
    // Header and checksum of the section table, no section.
    failure parse_start() noexcept {
        if (const failure found = read_start())
            return found;
        return read_header();
    }
    const packed_parts<A>& parts() const noexcept { return parts_; }
    const image_routes<A>& routes() const noexcept { return routes_; }
    std::shared_ptr<const cell_maps> rehashed() const noexcept { return rehashed_; }

  private:
    static failure fail(image_errc code, std::uint64_t offset, const char* reason) noexcept {
        return image_error{code, offset, reason, 0};
    }
    static failure damaged(std::uint64_t offset, const char* reason) noexcept {
        return fail(image_errc::damaged, offset, reason);
    }
    // What is not in the file are slots that were made anew: their section, then.
    std::uint64_t offset_of(const void* at) const noexcept {
        const auto* const byte = static_cast<const std::byte*>(at);
        const std::less<> before; // defined for pointers into other arrays as well
        if (at == nullptr)
            return 0;
        if (before(byte, file_.data()) || before(file_.data() + file_.size(), byte))
            return sections_[fixed_sections()].offset;
        return static_cast<std::uint64_t>(byte - file_.data());
    }

    // What tells a file of another kind, machine or time, before anything is believed.
    failure read_start() noexcept {
        const std::size_t there = std::min(file_.size(), image_magic.size());
        if (there == 0 || std::memcmp(file_.data(), image_magic.data(), there) != 0)
            return fail(image_errc::not_an_image, 0, "this is no image of a table");
        if (file_bytes_ < sizeof header_)
            return fail(image_errc::truncated, file_bytes_, "the file ends within its header");
        std::memcpy(&header_, file_.data(), sizeof header_);
        if (header_.byte_order == __builtin_bswap32(image_byte_order))
            return fail(image_errc::other_byte_order, offsetof(image_header, byte_order),
                        "the image is of a machine with the other byte order");
        if (header_.byte_order != image_byte_order)
            return damaged(offsetof(image_header, byte_order), "the byte order mark is none");
        if (header_.version != image_version && header_.version != image_version_without_keys)
            return fail(image_errc::other_version, offsetof(image_header, version),
                        "the image has another version of the format than this program");
        return std::nullopt;
    }
    failure read_header() noexcept {
        if (header_.sections > most_sections)
            return damaged(offsetof(image_header, sections), "there are more sections than kinds of them");
        if (section_offset_of_first(header_.sections) > file_bytes_)
            return fail(image_errc::truncated, file_bytes_, "the file ends within its section table");
        if (header_checksum(file_, header_.sections) != header_.checksum)
            return damaged(offsetof(image_header, checksum),
                           "header and section table have another checksum");
        if (header_.address_bits != A::bits)
            return fail(image_errc::other_width, offsetof(image_header, address_bits),
                        "the image is of addresses of another width");
        std::array<char, 32> name{};
        std::copy(image_scheme.begin(), image_scheme.end(), name.begin());
        if (header_.scheme != name)
            return fail(image_errc::other_width, offsetof(image_header, scheme),
                        "the image is of another scheme");
        if (header_.file_bytes > file_bytes_)
            return fail(image_errc::truncated, file_bytes_, "the file ends before its last section does");
        if (header_.file_bytes < file_bytes_)
            return fail(image_errc::truncated, header_.file_bytes, "the file goes on after its last section");
        return std::nullopt;
    }

    // The kind that section `number` of this form must have.
    section_kind expected_kind(std::size_t number) const noexcept {
        using enum section_kind;
        constexpr std::array always{route_bases, route_lengths, route_hops,
                                    next_hops,   short_root,    short_pages};
        constexpr std::array indexed{index_root, index_pages, index_lines};
        constexpr std::array ranked{ranked_words, ranked_answers};
        static_assert(always.size() == own_sections && ranked.size() + 1 == indexed.size());
        if (number < own_sections)
            return always[number];
        if (number < fixed_sections())
            return header_.form == image_form::ranked ? ranked[number - own_sections]
                                                      : indexed[number - own_sections];
        return (number - fixed_sections()) % 2 == 0 ? tier_cells : tier_lines;
    }
    // Those before index or words, and those before the tiers.
    static constexpr std::size_t own_sections = 6;
    std::size_t fixed_sections() const noexcept {
        return own_sections + (header_.form == image_form::ranked ? 2 : 3);
    }
    failure read_sections() noexcept {
        if (header_.form != image_form::indexed && header_.form != image_form::ranked)
            return damaged(offsetof(image_header, form), "the form is none");
        const std::size_t fixed = fixed_sections();
        if (header_.sections < fixed || (header_.sections - fixed) % 2 != 0)
            return damaged(offsetof(image_header, sections), "sections are missing");
        parts_.tier_count = (header_.sections - fixed) / 2;
        const bool is_ranked = header_.form == image_form::ranked;
        if (parts_.tier_count > parts_.tiers.size() ||
            (parts_.tier_count > 0 && packed_parts<A>::outer_of(is_ranked, parts_.tier_count - 1) >= A::bits))
            return damaged(offsetof(image_header, sections), "there are more tiers than addresses have bits");
        std::uint64_t offset = section_offset_of_first(header_.sections);
        for (std::size_t i = 0; i < header_.sections; ++i) {
            const std::size_t at = sizeof header_ + i * sizeof(image_section);
            std::memcpy(&sections_[i], file_.data() + at, sizeof(image_section));
            const image_section& one = sections_[i];
            if (one.kind != expected_kind(i))
                return damaged(at, "a section of another kind belongs here");
            if (one.offset != offset || one.bytes > file_.size() || offset > file_.size() ||
                padded(one.bytes) > file_.size() - offset)
                return damaged(at, "a section lies outside the file or not after the one before");
            if (xxh64(file_.subspan(offset, padded(one.bytes))) != one.checksum)
                return damaged(offset, "a section has another checksum");
            offset += padded(one.bytes);
        }
        if (offset != file_.size())
            return damaged(offset, "the sections end before the file does");
        return std::nullopt;
    }

    // Section `number` as items of a type; false when it does not hold whole ones.
    template <class T>
    bool get(std::size_t number, std::span<const T>& items) const noexcept {
        static_assert(alignof(T) <= image_alignment);
        const image_section& one = sections_[number];
        items = {reinterpret_cast<const T*>(file_.data() + one.offset), one.bytes / sizeof(T)};
        return one.bytes % sizeof(T) == 0;
    }
    failure read_fib() {
        static_assert(sizeof(cell_slot<A>) == (A::bits > 64 ? 32 : A::bits > 32 ? 16 : 8));
        parts_.answer_bytes = header_.answer_bytes;
        parts_.is_ranked = header_.form == image_form::ranked;
        bool whole = get(3, parts_.hops) && get(4, parts_.shorts.root) && get(5, parts_.shorts.pages);
        if (parts_.is_ranked)
            whole = get(6, parts_.words) && get(7, parts_.answers) && whole;
        else
            whole = get(6, parts_.root) && get(7, parts_.pages) && get(8, parts_.lines) && whole;
        const std::size_t fixed = fixed_sections();
        for (std::size_t i = 0; i < parts_.tier_count; ++i) {
            packed_tier_parts<A>& tier = parts_.tiers[i];
            whole = get(fixed + 2 * i, tier.cells) && get(fixed + 2 * i + 1, tier.lines) && whole;
            tier.levels = sections_[fixed + 2 * i + 1].detail;
            tier.key = hash_key(header_.tier_seeds[i]);
        }
        if (!whole)
            return damaged(sizeof header_, "a section of the FIB ends within an item");
        if (header_.version == image_version_without_keys)
            if (const failure found = rehash_cells())
                return found;
        if (const auto found = packed_check(parts_))
            return damaged(offset_of(found->at), found->reason);
        return std::nullopt;
    }
    // Puts the cells of every tier into slots of this process, with a key of their own.
    failure rehash_cells() {
        auto made = std::make_shared<cell_maps>();
        for (std::size_t i = 0; i < parts_.tier_count; ++i) {
            packed_tier_parts<A>& tier = parts_.tiers[i];
            const unsigned outer = packed_parts<A>::outer_of(parts_.is_ranked, i);
            cell_map<A> cells(outer, hash_key::random());
            for (const cell_slot<A>& slot : tier.cells) {
                if (slot.tree == 0)
                    continue;
                if (slot.cell != cell_first(slot.cell, outer) || cells.find(slot.cell) != 0)
                    return damaged(offset_of(&slot), "a slot of a tier has no cell, or another slot's");
                cells.insert(slot.cell, slot.tree);
            }
            tier.key = cells.key();
            made->push_back(std::move(cells));
            tier.cells = made->back().slots(); // in memory that stays where it is
        }
        rehashed_ = std::move(made);
        return std::nullopt;
    }
    failure read_routes() noexcept {
        std::span<const A> bases;
        std::span<const std::uint8_t> lengths;
        std::span<const next_hop> hops;
        const bool whole = get(0, bases) && get(1, lengths) && get(2, hops);
        if (!whole || bases.size() != header_.routes || lengths.size() != header_.routes ||
            hops.size() != header_.routes)
            return damaged(offsetof(image_header, routes), "the sections of the routes have another size");
        routes_ = {bases, lengths, hops};
        if (const std::size_t wrong = routes_.first_wrong(); wrong != routes_.size())
            return damaged(offset_of(&bases[wrong]), "a route is not canonical or not in order");
        return std::nullopt;
    }

    std::span<const std::byte> file_;
    std::uint64_t file_bytes_;
    image_header header_;
    std::array<image_section, most_sections> sections_;
    packed_parts<A> parts_;
    image_routes<A> routes_;
    std::shared_ptr<const cell_maps> rehashed_;
};

template <class A>
expected<image_view<A>, image_error> image_view<A>::make(std::span<const std::byte> file,
                                                         const build_options& options) noexcept try {
    parser read(file, file.size());
    if (const auto failure = read.parse())
        return unexpected{*failure};
    image_view made;
    made.fib_ = packed_lookup<A>(read.parts(), options.kernels->packed);
    made.routes_ = read.routes();
    made.rehashed_ = read.rehashed();
    return made;
} catch (...) {
    return unexpected{image_shortage(reason_of_exception())};
}

} // namespace fingerpost
