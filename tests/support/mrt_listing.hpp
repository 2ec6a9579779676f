// Formats the output of the MRT reader as text: one line for each entry or damage, in order.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/mrt/mrt_decoder.hpp"
#include "io/format/mrt/records.hpp"

namespace fingerpost::testing {

template <class... Kinds>
std::string text_of_any(const std::variant<Kinds...>& any) {
    return std::visit(
        [](const auto& one) -> std::string {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, std::monostate>)
                return "-";
            else
                return to_string(one);
        },
        any);
}

inline std::string text_of(const io::mrt::origin_as& origin) {
    std::string text;
    for (std::size_t i = 0; i < origin.size(); ++i)
        text += (i == 0 ? "" : ",") + std::to_string(origin[i]);
    return origin.is_set() ? "{" + text + "}" : text.empty() ? "-" : text;
}

// B|A|W TIME PEER PEER_AS PREFIX NEXT_HOP ORIGIN, followed by the rarer fields.
inline std::string text_of(const io::mrt::entry& e) {
    std::string text(1, "BAW"[static_cast<unsigned>(e.kind)]);
    text += " " + std::to_string(e.seconds);
    if (e.microseconds)
        text += "+" + std::to_string(*e.microseconds) + "us";
    text += " " + text_of_any(e.peer) + " " + std::to_string(e.peer_as) + " " + text_of_any(e.where) + " " +
            text_of_any(e.next_hop) + " " + text_of(e.origin);
    if (e.path_id)
        text += " id " + std::to_string(*e.path_id);
    return text + (e.is_local ? " local\n" : "\n");
}

inline std::string text_of(const io::mrt::damage& gap) {
    return "! " + std::to_string(gap.offset) + "+" + std::to_string(gap.size) + " " +
           std::string(gap.reason) + "\n";
}

// Decodes the output of a record_reader, and checks that records and damage are contiguous.
struct mrt_listing {
    std::string text;
    io::mrt::decoder decoder;
    std::uint64_t records = 0; // records that were cut out, including damaged ones
    std::uint64_t next = 0;    // end of the bytes accounted for, if all parts were contiguous
    bool is_complete = true;

    void take(const io::mrt::record& whole) {
        ++records;
        account(whole.offset, io::mrt::header_bytes + whole.body.size());
        io::mrt::decode_one(decoder, whole, *this);
    }
    void take(std::span<const io::mrt::entry> entries) {
        for (const io::mrt::entry& e : entries)
            text += text_of(e);
    }
    // Damage inside a record, which take() has counted already, or between records.
    void skip(const io::mrt::damage& gap) {
        if (gap.offset >= next) {
            account(gap.offset, gap.size);
            decoder.count_gap(gap);
        }
        text += text_of(gap);
    }

  private:
    void account(std::uint64_t offset, std::uint64_t size) {
        is_complete = is_complete && offset == next;
        next = offset + size;
    }
};

inline mrt_listing list_mrt(std::span<const std::byte> stream, std::size_t piece = 0) {
    mrt_listing all;
    io::mrt::record_reader reader;
    const std::size_t step = piece == 0 ? stream.size() : piece;
    for (std::size_t at = 0; at < stream.size(); at += step) {
        // A copy of exactly this size, so that the address sanitizer detects reads past the end.
        const auto part = stream.subspan(at, std::min(step, stream.size() - at));
        reader.feed(std::vector<std::byte>(part.begin(), part.end()), all);
    }
    reader.finish(all);
    all.is_complete = all.is_complete && all.next == stream.size();
    return all;
}

} // namespace fingerpost::testing
