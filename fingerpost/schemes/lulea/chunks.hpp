// Chunks: the positions below one position of the previous level. The number of heads determines the kind.
//
//      sparse      1 to 8 heads      8 one-byte head positions | 8 pointers         40 bytes
//      dense       9 to 64           codewords | pointers                            32 + 4 a pointer
//      very dense  65 to 256         codewords | bases | pointers                    40 + 4 a pointer
//
// The sizes are for chunks of 256 positions. A sparse chunk with fewer than 8 heads repeats the last one,
// which does not change answers and needs no special case in the search.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/schemes/lulea/codewords.hpp"

namespace fingerpost::lulea {

// The top two bits of a pointer are its kind. The rest is a next hop code, the number of a sparse chunk, or
// the first word of another chunk in its array.
enum class kind : std::uint32_t { next_hop, sparse, dense, very_dense };
inline constexpr unsigned tag_shift = 30;

constexpr kind kind_of(std::uint32_t pointer) noexcept {
    return static_cast<kind>(pointer >> tag_shift);
}
constexpr std::uint32_t index_of(std::uint32_t pointer) noexcept {
    return pointer & ((1u << tag_shift) - 1);
}
constexpr std::uint32_t pointer_to(kind k, std::uint32_t index) noexcept {
    return static_cast<std::uint32_t>(k) << tag_shift | index;
}

inline constexpr std::size_t sparse_heads = 8, dense_heads = 64;
constexpr kind kind_for(std::size_t heads) noexcept {
    return heads <= sparse_heads ? kind::sparse : heads <= dense_heads ? kind::dense : kind::very_dense;
}

struct sparse_chunk {
    std::array<std::uint8_t, sparse_heads> heads;
    std::array<std::uint32_t, sparse_heads> pointers;

    // Number of the last head at or before a position, computed in one register. The first head is at 0, so
    // it always exists.
    std::size_t place(std::uint32_t position) const noexcept {
        constexpr std::uint64_t tops = 0x8080808080808080, ones = 0x0101010101010101;
        const auto stored = std::bit_cast<std::uint64_t>(heads);
        const std::uint64_t sought = position * ones;
        // The top bit of each byte is set if its low seven bits are not above the sought ones.
        const std::uint64_t low = (sought | tops) - (stored & ~tops);
        const std::uint64_t not_above = ((sought & ~stored) | (~(sought ^ stored) & low)) & tops;
        return ((not_above >> 7) * ones >> 56) - 1;
    }
};
static_assert(sizeof(sparse_chunk) == 40);

// The shape of chunks with codewords.
struct chunk_shape {
    std::size_t masks;

    std::size_t bases_at() const noexcept { return masks * sizeof(std::uint16_t); }
    std::size_t pointers_at(bool has_bases) const noexcept {
        const std::size_t end = bases_at() + (has_bases ? count_groups(masks) * sizeof(std::uint16_t) : 0);
        return (end + 3) / 4 * 4;
    }
    masks_view view(const std::byte* chunk, bool has_bases) const noexcept {
        return {chunk, chunk + bases_at(), chunk + pointers_at(has_bases), has_bases ? 0xffffU : 0U};
    }
};

// Words after the last chunk, so that a chunk without bases or pointers can be read as if it had some.
inline constexpr std::size_t padding_words = 2;

// The chunks under construction.
struct chunk_lists {
    std::vector<sparse_chunk> sparse;
    std::vector<std::uint32_t> words; // words of the dense and the very dense chunks

    // Returns the pointer to the new chunk. Throws std::bad_alloc, and std::length_error if there are too
    // many.
    std::uint32_t add(std::span<const head> heads, chunk_shape shape) {
        const kind k = kind_for(heads.size());
        const std::size_t index = k == kind::sparse ? sparse.size() : words.size();
        check_size(index, (std::size_t{1} << tag_shift) - 1, "chunks");
        if (k == kind::sparse)
            add_sparse(heads);
        else
            add_dense(encode_masks(heads, shape.masks, k == kind::very_dense), shape);
        return pointer_to(k, to_u32(index, "chunks"));
    }

  private:
    void add_sparse(std::span<const head> heads) {
        sparse_chunk chunk;
        for (std::size_t i = 0; i < sparse_heads; ++i) {
            const head& from = heads[std::min(i, heads.size() - 1)];
            chunk.heads[i] = static_cast<std::uint8_t>(from.position);
            chunk.pointers[i] = from.pointer;
        }
        sparse.push_back(chunk);
    }
    void add_dense(const coded_masks& coded, chunk_shape shape) {
        const std::size_t pointers_at = shape.pointers_at(!coded.bases.empty());
        const std::size_t first = words.size();
        words.resize(first + pointers_at / 4 + coded.pointers.size());
        auto* const at = reinterpret_cast<std::byte*>(words.data() + first);
        std::memcpy(at, coded.codewords.data(), coded.codewords.size() * sizeof(std::uint16_t));
        if (!coded.bases.empty())
            std::memcpy(at + shape.bases_at(), coded.bases.data(),
                        coded.bases.size() * sizeof(std::uint16_t));
        std::copy(coded.pointers.begin(), coded.pointers.end(),
                  words.begin() + static_cast<std::ptrdiff_t>(first + pointers_at / 4));
    }
};

} // namespace fingerpost::lulea
