// Applies updates to the live tables of both families, in batches and optionally in real time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/replay/replay_batch.hpp"
#include "cli/replay/replay_report.hpp"
#include "cli/replay/replayed_table.hpp"
#include "io/source/update_stream.hpp"
#include "terminal/table/damage_report.hpp"

namespace fingerpost::cli {

// Thrown by take() after the user requested the end.
struct replay_stopped {};

struct replay_settings {
    std::optional<family> only{}; // skips updates of the other family
    std::string scheme{};
    batch_rule batch = batch_rule::by_size(1000);
    std::optional<pacer> pace{};                 // unset: as fast as possible
    bool (*is_stopped)() = [] { return false; }; // called before each update and while waiting for one
    double every = 0;                            // seconds between calls of the report; 0: never called
    // Receives the statistics of each interval.
    std::function<void(const replay_statistics& now, const replay_counts& before, double seconds)> report{};
};

class replayer final : public io::update_receiver {
  public:
    // Uses the default scheme for a family that the scheme does not serve. Throws failure if a scheme cannot
    // hold a table.
    replayer(io::both_tables tables, replay_settings settings);

    // Sets the name of the next stream in messages.
    void set_file(const std::string& file) {
        file_ = file;
        damage_.emplace(file);
    }
    damage_report& damage() noexcept { return *damage_; }

    // Throws failure for columns that the table does not have.
    void begin(std::span<const std::string_view> columns) override;
    void take(const io::update& update) override;
    void skip(const io::mrt::damage& where) override;
    void refuse(const io::input_error& line) override;
    // Commits, so that changes do not wait for later updates.
    void pause() override { commit(); }
    void commit();

    // `top` is the number of most frequently changed prefixes to report.
    replay_statistics finish(std::size_t top);
    std::uint64_t other_family() const noexcept { return other_family_; }
    const changed_table<ipv4_address>& ipv4() const noexcept { return ipv4_; }
    const changed_table<ipv6_address>& ipv6() const noexcept { return ipv6_; }
    // Whether the table had routes, and therefore types, before the first update.
    bool starts_typed() const noexcept { return starts_typed_; }

  private:
    template <class A>
    bool apply(changed_table<A>& to, const prefix<A>& where, const io::update& update,
               replay_clock::time_point now);
    bool apply(const ipv4_prefix& where, const io::update& update, replay_clock::time_point now);
    bool apply(const ipv6_prefix& where, const io::update& update, replay_clock::time_point now);
    bool is_wanted(const any_prefix& where) const;
    double seconds(replay_clock::time_point now) const;
    void wait_for(const io::update& update);
    void throw_if_stopped() const {
        if (settings_.is_stopped())
            throw replay_stopped{};
    }
    void report_interval();

    replay_settings settings_;
    std::string file_;
    changed_table<ipv4_address> ipv4_;
    changed_table<ipv6_address> ipv6_;
    bool starts_typed_;
    replay_statistics all_;
    std::optional<damage_report> damage_;
    std::uint64_t other_family_ = 0;
    std::optional<replay_clock::time_point> begun_; // arrival of the first update
    replay_counts reported_;                        // counts at the last interval
    double reported_at_ = 0;
};

} // namespace fingerpost::cli
