// FreeBSD's second level for DXR: the direct table is divided into blocks, and equal blocks are stored once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/base/memory.hpp"
#include "fingerpost/schemes/dxr/format.hpp"

namespace fingerpost::dxr {

struct block_table {
    aligned_array<std::uint16_t> numbers; // block number for each value of the first bits
    aligned_array<word> entries;          // block by block
    unsigned in_block = 0;                // number of bits that choose an entry in a block

    // Makes blocks from a direct table of 2^bits entries. Tries blocks of 2^3 entries, then larger ones as
    // long as the total gets smaller. Block numbers have 16 bits, so larger blocks may be necessary from the
    // start. Throws std::bad_alloc.
    static expected<block_table> make(std::span<const word> direct, const hash_key& key, unsigned bits) {
        std::optional<numbering> best;
        for (unsigned in_block = std::min(bits, 3U); in_block <= bits; ++in_block) {
            numbering tried = number(direct, key, in_block);
            if (tried.first_of.size() > most_blocks)
                continue;
            if (best && tried.bytes() >= best->bytes())
                break;
            best = std::move(tried);
        }
        block_table table;
        // One number more than needed, because kernels read two at a time.
        auto numbers = aligned_array<std::uint16_t>::make((best->numbers.size() + 1) & ~std::size_t{1});
        auto entries = aligned_array<word>::make(best->first_of.size() << best->in_block);
        if (!numbers || !entries)
            return unexpected{errc::out_of_memory};
        std::copy(best->numbers.begin(), best->numbers.end(), numbers->begin());
        for (std::size_t i = 0; i < best->first_of.size(); ++i)
            std::ranges::copy(block_of(direct, best->first_of[i], best->in_block),
                              entries->data() + (i << best->in_block));
        table.numbers = std::move(*numbers);
        table.entries = std::move(*entries);
        table.in_block = best->in_block;
        return table;
    }

  private:
    static constexpr std::size_t most_blocks = std::size_t{1} << 16;

    struct numbering {
        unsigned in_block = 0;
        std::vector<std::uint16_t> numbers{};
        std::vector<std::uint32_t> first_of{}; // the first of all equal blocks, for each number

        std::size_t bytes() const noexcept {
            return numbers.size() * sizeof(std::uint16_t) + (first_of.size() << in_block) * sizeof(word);
        }
    };

    static std::span<const word> block_of(std::span<const word> direct, std::size_t i, unsigned in_block) {
        return direct.subspan(i << in_block, std::size_t{1} << in_block);
    }
    // Sorts blocks by their hash, so that equal blocks are adjacent and the first of them comes first. If a
    // different block with the same hash comes between them, they are stored more than once.
    static numbering number(std::span<const word> direct, const hash_key& key, unsigned in_block) {
        struct block {
            std::uint32_t hash;
            std::uint32_t which;
        };
        numbering result{.in_block = in_block};
        result.numbers.resize(direct.size() >> in_block);
        std::vector<block> order(result.numbers.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            std::uint32_t hash = 0;
            for (const word w : block_of(direct, i, in_block))
                hash = key.hash(std::uint64_t{hash} << 32 | w);
            order[i] = {hash, i};
        }
        const auto same = [&](const block& a, const block& b) {
            return a.hash == b.hash && std::ranges::equal(block_of(direct, a.which, in_block),
                                                          block_of(direct, b.which, in_block));
        };
        std::sort(order.begin(), order.end(), [&](const block& a, const block& b) {
            return a.hash != b.hash ? a.hash < b.hash : a.which < b.which;
        });
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i == 0 || !same(order[i - 1], order[i])) {
                number = i == 0 ? 0 : number + 1;
                result.first_of.push_back(order[i].which);
            }
            // Wraps around if there are too many blocks. The caller does not use such a numbering.
            result.numbers[order[i].which] = static_cast<std::uint16_t>(number);
        }
        return result;
    }
};

} // namespace fingerpost::dxr
