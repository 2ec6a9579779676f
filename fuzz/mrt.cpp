// Feeds bytes to the MRT reader, whole, in pieces and in batches. The entries and the damage must be equal,
// every byte must be accounted for, and no prefix may be longer than its addresses.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "fuzz/require.hpp"
#include "io/format/mrt/batch.hpp"

namespace {

using namespace fingerpost;
using namespace fingerpost::io;

template <class A>
std::string text_of(const A& one) {
    return to_string(one);
}
std::string text_of(std::monostate) {
    return "-";
}
template <class... Kinds>
std::string text_of(const std::variant<Kinds...>& any) {
    return std::visit([](const auto& one) { return text_of(one); }, any);
}

void check_prefix(const any_prefix& where) {
    std::visit(
        [](const auto& one) {
            using type = std::remove_cvref_t<decltype(one)>;
            require(one.length <= type::address_type::bits && type::is_canonical(one.base, one.length));
        },
        where);
}

// Everything that was read from a stream, as text.
struct listing {
    std::string entries;
    std::string damage;

    void take(std::span<const mrt::entry> some) {
        for (const mrt::entry& e : some) {
            check_prefix(e.where);
            require(e.origin.is_set() || e.origin.size() <= 1);
            for (std::size_t i = 0; i < e.origin.size(); ++i)
                entries += std::to_string(e.origin[i]) + " ";
            entries += text_of(e.where) + " " + text_of(e.peer) + " " + text_of(e.next_hop) + " " +
                       std::to_string(e.peer_as) + "\n";
        }
    }
    void skip(const mrt::damage& where) {
        require(where.size != 0 && !where.reason.empty());
        damage += std::to_string(where.offset) + "+" + std::to_string(where.size) + " " +
                  std::string(where.reason) + "\n";
    }
    friend bool operator==(const listing&, const listing&) = default;
};

// Decodes its input immediately, and checks that there are no gaps.
struct at_once {
    mrt::decoder decoder;
    listing all;
    std::uint64_t next = 0;

    void take(const mrt::record& whole) {
        require(whole.offset == next);
        next += mrt::header_bytes + whole.body.size();
        mrt::decode_one(decoder, whole, all);
    }
    void skip(const mrt::damage& gap) {
        require(gap.offset == next);
        next += gap.size;
        decoder.count_gap(gap);
        all.skip(gap);
    }
};

// Decodes through batches of a few records each.
struct in_batches {
    static constexpr std::size_t room = 200;
    mrt::shared_peers peers;
    mrt::batch gathered = mrt::batch(nullptr, room);
    listing all;
    mrt::counts counted;

    void take(const mrt::record& whole) {
        if (gathered.is_full_for(whole.body.size()))
            decode();
        gathered.add(whole);
        mrt::follow_peers(whole, peers);
    }
    void skip(const mrt::damage& gap) { gathered.add(gap); }
    void decode() {
        counted += gathered.decode(all);
        gathered = mrt::batch(peers, room);
    }
};

template <class R>
void feed(mrt::bytes stream, std::size_t piece, R& receiver) {
    mrt::record_reader reader;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        // A copy of exactly its size, so that a read past its end is detected.
        const mrt::bytes part = stream.subspan(at, std::min(piece, stream.size() - at));
        const std::vector<std::byte> own(part.begin(), part.end());
        reader.feed(own, receiver);
    }
    reader.finish(receiver);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2)
        return 0;
    const mrt::bytes stream = std::as_bytes(std::span(data + 1, size - 1));
    at_once whole;
    feed(stream, stream.size(), whole);
    require(whole.next == stream.size());
    at_once pieces;
    feed(stream, std::size_t{1} + data[0], pieces);
    require(whole.all == pieces.all && whole.decoder.counted() == pieces.decoder.counted());
    in_batches batches;
    feed(stream, stream.size(), batches);
    batches.decode();
    require(whole.all == batches.all && whole.decoder.counted() == batches.counted);
    return 0;
}
