// Reads updates from a file or a pipe while they arrive: MRT messages, or text (updates.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fingerpost/net/any.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/mrt/choice.hpp"
#include "io/format/mrt/counts.hpp"
#include "io/format/parts/input_error.hpp"

namespace fingerpost::io {

// Whether the first bytes of a stream are MRT: text has no zero bytes, but every record header does.
bool looks_like_mrt(std::string_view start) noexcept;

// An announcement or withdrawal. It is valid during the call that passes it.
struct update {
    any_prefix where{};
    bool announced = false;
    std::optional<std::uint64_t> microseconds{}; // time of recording, since 1970
    std::span<const std::string_view> cells{};   // of an announcement, one for each column of the stream
};

class update_receiver {
  public:
    update_receiver() = default;
    update_receiver(const update_receiver&) = delete;
    update_receiver& operator=(const update_receiver&) = delete;
    virtual ~update_receiver() = default;

    // Called before the first update, with the columns of the cells.
    virtual void begin(std::span<const std::string_view> columns) = 0;
    virtual void take(const update& change) = 0;
    // Called for damage in MRT and for refused lines of text. Reading continues after them.
    virtual void skip(const mrt::damage& where) = 0;
    virtual void refuse(const input_error& line) = 0;
    // Called when the next read() may have to wait for the program that fills the pipe.
    virtual void pause() = 0;
};

enum class update_format : std::uint8_t { mrt, text };

struct update_options {
    mrt_choice choice{};                   // MRT only: the peers, and the cells of announcements
    host_bits policy = host_bits::mask;    // text only
    std::optional<update_format> format{}; // if not set, detected from the first bytes
};

struct update_result {
    update_format format = update_format::text;
    std::uint64_t updates = 0;        // passed to the receiver
    mrt::counts counted;              // MRT only
    std::uint64_t lines = 0;          // text only
    std::uint64_t masked = 0;         // prefixes whose host bits were cleared
    std::uint64_t other_peers = 0;    // updates of peers that were not selected
    std::uint64_t peers = 0;          // number of peers of the taken updates, up to 2
    std::uint64_t sent = 0;           // messages that the recording router sent
    std::uint64_t multicast = 0;      // entries that are not routes for forwarding
    std::uint64_t routes = 0;         // entries of tables, which are not updates
    std::optional<input_error> error; // the file cannot be read, or reading failed later
};

// `path`: as for file_source::open. Throws what the receiver throws, and std::bad_alloc.
update_result read_updates(const std::string& path, const update_options& options, update_receiver& receiver);

} // namespace fingerpost::io
