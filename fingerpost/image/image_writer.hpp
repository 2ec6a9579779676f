// Composes the bytes of an image in memory.
#pragma once

#include <cstring>
#include <new>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/saveable.hpp"
#include "fingerpost/image/image_format.hpp"
#include "fingerpost/values/view.hpp"

namespace fingerpost::detail {

// Collects sections, then writes all of them. Spans passed to it must stay valid until then.
template <class A>
class image_writer {
  public:
    // `scheme` is the name of the scheme of `fib`. `values` may have no columns. Throws std::bad_alloc.
    static aligned_array<std::byte> write(std::span<const route<A>> sorted, std::string_view scheme,
                                          const saved_arrays& fib, const value_view& values) {
        image_writer writer;
        writer.add_routes(sorted);
        writer.sections_.insert(writer.sections_.end(), fib.sections.begin(), fib.sections.end());
        if (values.columns() != 0)
            writer.add_values(values);
        return writer.compose(sorted.size(), scheme, fib);
    }

  private:
    template <class Kind, class T>
    void add(Kind kind, std::span<const T> items, std::uint32_t detail = 0) {
        sections_.push_back(
            {static_cast<std::uint32_t>(kind), detail, std::as_bytes(items), sizeof(T), sizeof(T)});
    }
    void add_values(const value_view& values) {
        const value_types& types = values.types();
        add(value_section::cells, values.cells(), to_u32(values.columns(), "columns of values"));
        add(value_section::ends, values.ends(),
            types.missing == value_types::no_text ? 0 : types.missing + 1);
        add(value_section::bytes, values.bytes());
        if (types.columns.empty())
            return;
        // The types are one more text, to which no cell refers.
        end_of_types_ = values.bytes().size() + types.columns.size();
        sections_[sections_.size() - 2].rest.push_back(std::as_bytes(std::span(&end_of_types_, 1)));
        sections_.back().rest.push_back(std::as_bytes(types.columns));
        sections_.back().detail = to_u32(values.ends().size() + 1, "texts of values");
    }
    void add_routes(std::span<const route<A>> sorted) {
        for (const route<A>& r : sorted) {
            bases_.push_back(r.where.base);
            lengths_.push_back(r.where.length);
            hops_.push_back(r.hop);
        }
        add(route_section::bases, std::span<const A>(bases_));
        add(route_section::lengths, std::span<const std::uint8_t>(lengths_));
        add(route_section::hops, std::span<const next_hop>(hops_));
    }

    static std::size_t bytes_of(const saved_section& of) noexcept {
        std::size_t sum = of.bytes.size();
        for (const auto piece : of.rest)
            sum += piece.size();
        return sum;
    }
    static void put(std::byte* to, const saved_section& from) {
        put_items(to, from.bytes, from);
        to += from.bytes.size();
        for (const auto piece : from.rest) {
            put_items(to, piece, from);
            to += piece.size();
        }
    }
    static void put_items(std::byte* to, std::span<const std::byte> items, const saved_section& of) {
        if (items.empty())
            return;
        if (of.value_bytes == of.item_bytes) {
            std::memcpy(to, items.data(), items.size());
            return;
        }
        for (std::size_t at = 0; at < items.size(); at += of.item_bytes)
            std::memcpy(to + at, items.data() + at, of.value_bytes);
    }
    aligned_array<std::byte> compose(std::size_t routes, std::string_view scheme,
                                     const saved_arrays& fib) const {
        check_size(sections_.size(), most_sections, "sections of an image");
        std::uint64_t size = section_offset_of_first(sections_.size());
        for (const saved_section& from : sections_)
            size += padded(bytes_of(from));
        auto image = aligned_array<std::byte>::make(size);
        if (!image)
            throw std::bad_alloc();
        std::byte* const file = image->data();
        image_header header{.magic = image_magic,
                            .byte_order = image_byte_order,
                            .version = image_version,
                            .address_bits = A::bits,
                            .numbers = fib.numbers,
                            .sections = to_u32(sections_.size(), "sections of an image"),
                            .file_bytes = size,
                            .routes = routes,
                            .scheme = {},
                            .seeds = fib.seeds,
                            .next = 0,
                            .reserved = 0,
                            .checksum = 0};
        std::copy(scheme.begin(), scheme.end(), header.scheme.begin());
        std::memcpy(file, &header, sizeof header);
        std::uint64_t offset = section_offset_of_first(sections_.size());
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const saved_section& from = sections_[i];
            const image_section section{from.kind, from.detail, offset, bytes_of(from), 0};
            std::memcpy(file + sizeof header + i * sizeof section, &section, sizeof section);
            put(file + offset, from);
            offset += padded(section.bytes);
        }
        seal_image(image->span());
        return std::move(*image);
    }

    std::vector<A> bases_;
    std::vector<std::uint8_t> lengths_;
    std::vector<next_hop> hops_;
    std::uint64_t end_of_types_ = 0;
    std::vector<saved_section> sections_;
};

} // namespace fingerpost::detail
