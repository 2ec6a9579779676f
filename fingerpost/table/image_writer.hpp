// Lays out the bytes of an image in memory.
#pragma once

#include <cstring>
#include <new>
#include <vector>

#include "fingerpost/base/memory.hpp"
#include "fingerpost/fib/packed_leaves.hpp"
#include "fingerpost/table/image_format.hpp"

namespace fingerpost::detail {

// Collects sections, then writes all of them in one go. What it is given must stay until then.
template <class A>
class image_writer {
  public:
    // Throws std::bad_alloc.
    static aligned_array<std::byte> write(std::span<const route<A>> sorted, const packed_parts<A>& parts) {
        image_writer made;
        made.add_routes(sorted);
        made.add_fib(parts);
        return made.compose(sorted.size(), parts);
    }

  private:
    struct source {
        section_kind kind;
        std::uint32_t detail;
        std::span<const std::byte> bytes;
    };

    template <class T>
    void add(section_kind kind, std::span<const T> items, std::uint32_t detail = 0) {
        sources_.push_back({kind, detail, std::as_bytes(items)});
    }
    void add_routes(std::span<const route<A>> sorted) {
        for (const route<A>& r : sorted) {
            bases_.push_back(r.where.base);
            lengths_.push_back(r.where.length);
            hops_.push_back(r.hop);
        }
        add(section_kind::route_bases, std::span<const A>(bases_));
        add(section_kind::route_lengths, std::span<const std::uint8_t>(lengths_));
        add(section_kind::route_hops, std::span<const next_hop>(hops_));
    }
    void add_fib(const packed_parts<A>& parts) {
        add(section_kind::next_hops, parts.hops);
        add(section_kind::short_root, parts.shorts.root);
        add(section_kind::short_pages, parts.shorts.pages);
        if (parts.is_ranked) {
            add(section_kind::ranked_words, parts.words);
            add(section_kind::ranked_answers, parts.answers);
        } else {
            add(section_kind::index_root, parts.root);
            add(section_kind::index_pages, parts.pages);
            add(section_kind::index_lines, parts.lines);
        }
        for (std::size_t i = 0; i < parts.tier_count; ++i) {
            add(section_kind::tier_cells, parts.tiers[i].cells);
            add(section_kind::tier_lines, parts.tiers[i].lines, parts.tiers[i].levels);
        }
    }

    static void put(std::byte* to, const source& from) {
        if (from.bytes.empty())
            return;
        if (from.kind != section_kind::tier_cells) {
            std::memcpy(to, from.bytes.data(), from.bytes.size());
            return;
        }
        // By members: what lies between them is not to get into files.
        using slot = cell_slot<A>;
        for (std::size_t at = 0; at < from.bytes.size(); at += sizeof(slot)) {
            slot one;
            std::memcpy(&one, from.bytes.data() + at, sizeof one);
            std::memcpy(to + at + offsetof(slot, cell), &one.cell, sizeof one.cell);
            std::memcpy(to + at + offsetof(slot, tree), &one.tree, sizeof one.tree);
        }
    }
    aligned_array<std::byte> compose(std::size_t routes, const packed_parts<A>& parts) const {
        std::uint64_t size = section_offset_of_first(sources_.size());
        for (const source& from : sources_)
            size += padded(from.bytes.size());
        auto made = aligned_array<std::byte>::make(size);
        if (!made)
            throw std::bad_alloc();
        std::byte* const file = made->data();
        image_header header{.magic = image_magic,
                            .byte_order = image_byte_order,
                            .version = image_version,
                            .address_bits = A::bits,
                            .answer_bytes = parts.answer_bytes,
                            .form = parts.is_ranked ? image_form::ranked : image_form::indexed,
                            .sections = static_cast<std::uint32_t>(sources_.size()),
                            .file_bytes = size,
                            .routes = routes,
                            .scheme = {},
                            .tier_seeds = {},
                            .reserved = {},
                            .checksum = 0};
        std::copy(image_scheme.begin(), image_scheme.end(), header.scheme.begin());
        for (std::size_t i = 0; i < parts.tier_count; ++i)
            header.tier_seeds[i] = parts.tiers[i].key.seed();
        std::memcpy(file, &header, sizeof header);
        std::uint64_t offset = section_offset_of_first(sources_.size());
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const source& from = sources_[i];
            const image_section one{from.kind, from.detail, offset, from.bytes.size(), 0};
            std::memcpy(file + sizeof header + i * sizeof one, &one, sizeof one);
            put(file + offset, from);
            offset += padded(one.bytes);
        }
        seal_image(made->span());
        return std::move(*made);
    }

    std::vector<A> bases_;
    std::vector<std::uint8_t> lengths_;
    std::vector<next_hop> hops_;
    std::vector<source> sources_;
};

} // namespace fingerpost::detail
