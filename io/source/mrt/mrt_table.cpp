// Selects the best route of each record when decoding, and of each prefix when parts are merged.
#include "io/source/mrt/mrt_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/mrt/tables.hpp"
#include "io/source/mrt/mrt_file.hpp"

namespace fingerpost::io {
namespace {

constexpr std::size_t max_damage = 1000;
constexpr std::size_t max_peers_named = 8;

struct by_address {
    bool operator()(const mrt::peer& a, const mrt::peer& b) const {
        return std::tie(a.address, a.as) < std::tie(b.address, b.as);
    }
};

// The values that decide between routes first, in this order.
struct rank {
    std::uint32_t path_length;
    mrt::peer from;
    std::uint32_t path_id;

    friend bool operator<(const rank& a, const rank& b) {
        return std::tie(a.path_length, a.from.address, a.from.as, a.path_id) <
               std::tie(b.path_length, b.from.address, b.from.as, b.path_id);
    }
};

rank rank_of(const mrt::entry& e) {
    return {e.path_length, {e.peer, e.peer_as}, e.path_id.value_or(0)};
}

// The best route of a record for a prefix.
struct best_route {
    any_prefix where;
    rank by;
    std::size_t cells; // index of its first cell in the part's list
};

class table_part final : public mrt_part {
  public:
    explicit table_part(const mrt_choice& choice)
        : choice_(choice), cells_of_(choice.values), columns_(columns_of(choice.values).size()) {}

    void take(std::span<const mrt::entry> entries) override {
        const mrt::entry* best = nullptr;
        for (const mrt::entry& e : entries) {
            if (!is_selected(e))
                continue;
            if (best != nullptr && e.where != best->where)
                add(*std::exchange(best, nullptr));
            if (best == nullptr || is_better(e, *best))
                best = &e;
        }
        if (best != nullptr)
            add(*best);
    }
    void skip(const mrt::damage& where) override { damaged.push_back(where); }

    std::span<const std::string> cells_of(const best_route& chosen) const {
        return std::span(cells_).subspan(chosen.cells, columns_);
    }
    void clear() {
        routes.clear();
        cells_.clear();
        damaged.clear();
        others.clear();
        updates = multicast = 0;
    }

    std::vector<best_route> routes;
    std::vector<mrt::damage> damaged;
    std::vector<mrt::peer> others; // other peers, until there is a route of a selected one
    std::uint64_t updates = 0;
    std::uint64_t multicast = 0;

  private:
    bool is_selected(const mrt::entry& e) {
        if (e.kind != mrt::entry_kind::rib) {
            ++updates;
            return false;
        }
        if (e.is_multicast) {
            ++multicast;
            return false;
        }
        if (is_of(e, choice_.peer))
            return true;
        add_other({e.peer, e.peer_as});
        return false;
    }
    void add_other(const mrt::peer& other) {
        if (!routes.empty() || others.size() > max_peers_named)
            return;
        const auto is_same = [&](const mrt::peer& p) {
            return p.address == other.address && p.as == other.as;
        };
        if (std::none_of(others.begin(), others.end(), is_same))
            others.push_back(other);
    }
    bool is_better(const mrt::entry& a, const mrt::entry& b) {
        const rank first = rank_of(a);
        const rank second = rank_of(b);
        if (first < second || second < first)
            return first < second;
        return copy_cells(a) < copy_cells(b);
    }
    std::vector<std::string> copy_cells(const mrt::entry& e) {
        const auto cells = cells_of_.of(e);
        return {cells.begin(), cells.end()};
    }
    void add(const mrt::entry& e) {
        routes.push_back({e.where, rank_of(e), cells_.size()});
        const auto cells = cells_of_.of(e);
        cells_.insert(cells_.end(), cells.begin(), cells.end());
    }

    const mrt_choice& choice_;
    entry_cells cells_of_;
    std::size_t columns_;
    std::vector<std::string> cells_;
};

// Peers and rows are stored as numbers, because every peer may have a route for every prefix.
template <class A>
struct candidate {
    prefix<A> where;
    std::uint32_t path_length;
    std::uint32_t path_id;
    std::uint32_t peer;
    next_hop row;
};

class collector {
  public:
    collector(const table_options& options, const mrt_choice& choice)
        : columns_(columns_of(choice.values)), builder_(both(options), columns_), rows_(columns_) {}

    void take(table_part& part) {
        for (const best_route& chosen : part.routes)
            std::visit([&](const auto& where) { add(where, chosen, part.cells_of(chosen)); }, chosen.where);
        report.updates += part.updates;
        report.multicast += part.multicast;
        for (const mrt::damage& where : part.damaged)
            if (report.damaged.size() < max_damage)
                report.damaged.push_back(where);
        for (const mrt::peer& other : part.others)
            if (others_.size() <= max_peers_named)
                others_.insert(other);
        part.clear();
    }

    both_tables finish() && {
        add_to_builder(four_);
        add_to_builder(six_);
        return std::move(builder_).finish_both(report.counted.records);
    }

    bool has_routes() const noexcept { return has_routes_; }
    const std::set<mrt::peer, by_address>& others() const noexcept { return others_; }

    mrt_report report;

  private:
    template <class A>
    struct family_routes {
        std::vector<candidate<A>> routes;
        std::size_t resolve_at = std::size_t{1} << 16;
    };

    static table_options both(table_options options) {
        options.both = true;
        return options;
    }
    template <class A>
    family_routes<A>& of() noexcept {
        if constexpr (A::bits == ipv4_address::bits)
            return four_;
        else
            return six_;
    }

    template <class A>
    void add(const prefix<A>& where, const best_route& chosen, std::span<const std::string> cells) {
        has_routes_ = true;
        if (builder_.choose(family_of<A>) != table_builder::choice::take)
            return;
        std::array<std::string_view, 4> row;
        std::copy(cells.begin(), cells.end(), row.begin());
        const candidate<A> added{where, chosen.by.path_length, chosen.by.path_id, number_of(chosen.by.from),
                                 rows_.intern(std::span<const std::string_view>(row).first(cells.size()))};
        family_routes<A>& family_list = of<A>();
        // Dumps usually have the routes of a prefix one after the other.
        if (!family_list.routes.empty() && family_list.routes.back().where == where) {
            if (is_better(added, family_list.routes.back()))
                family_list.routes.back() = added;
            return;
        }
        family_list.routes.push_back(added);
        // Limits the memory of routes that lost.
        if (family_list.routes.size() >= family_list.resolve_at) {
            resolve(family_list.routes);
            family_list.resolve_at = std::max(family_list.resolve_at, 2 * family_list.routes.size());
        }
    }

    std::uint32_t number_of(const mrt::peer& route_peer) {
        const auto [entry, is_new] = peers_.try_emplace(route_peer, to_u32(by_number_.size(), "peers"));
        if (is_new)
            by_number_.push_back(route_peer);
        return entry->second;
    }

    template <class A>
    bool is_better(const candidate<A>& a, const candidate<A>& b) const {
        const rank first{a.path_length, by_number_[a.peer], a.path_id};
        const rank second{b.path_length, by_number_[b.peer], b.path_id};
        if (first < second || second < first)
            return first < second;
        for (std::size_t column = 0; column < columns_.size(); ++column)
            if (const int order = rows_.cell(a.row, column).compare(rows_.cell(b.row, column)); order != 0)
                return order < 0;
        return false;
    }

    template <class A>
    void resolve(std::vector<candidate<A>>& candidates) const {
        const auto in_order = [this](const candidate<A>& a, const candidate<A>& b) {
            const auto order = a.where <=> b.where;
            return order != 0 ? order < 0 : is_better(a, b);
        };
        if (!std::is_sorted(candidates.begin(), candidates.end(), in_order))
            std::sort(candidates.begin(), candidates.end(), in_order);
        const auto is_same = [](const candidate<A>& a, const candidate<A>& b) { return a.where == b.where; };
        candidates.erase(std::unique(candidates.begin(), candidates.end(), is_same), candidates.end());
    }

    template <class A>
    void add_to_builder(family_routes<A>& family_list) {
        resolve(family_list.routes);
        std::array<std::string_view, 4> row;
        for (const candidate<A>& entry : family_list.routes) {
            for (std::size_t column = 0; column < columns_.size(); ++column)
                row[column] = rows_.cell(entry.row, column);
            builder_.add(entry.where, std::span<const std::string_view>(row).first(columns_.size()));
        }
        family_list.routes = {};
    }

    std::span<const std::string_view> columns_;
    table_builder builder_;
    value_rows rows_;
    std::map<mrt::peer, std::uint32_t, by_address> peers_;
    std::vector<mrt::peer> by_number_;
    std::set<mrt::peer, by_address> others_;
    family_routes<ipv4_address> four_;
    family_routes<ipv6_address> six_;
    bool has_routes_ = false;
};

std::string text_of(const mrt::peer& route_peer) {
    return to_string(route_peer.address) + " (AS" + std::to_string(route_peer.as) + ")";
}

std::string name_peers(const std::set<mrt::peer, by_address>& peers) {
    std::string text;
    std::size_t named = 0;
    for (const mrt::peer& route_peer : peers) {
        if (named++ == max_peers_named)
            return text + " and others";
        text += (text.empty() ? "" : ", ") + text_of(route_peer);
    }
    return text;
}

bool has_messages(const mrt_report& report) {
    using mrt::skipped;
    const mrt::counts& counted = report.counted;
    return report.updates != 0 || counted[skipped::state_change] != 0 || counted[skipped::open] != 0 ||
           counted[skipped::notification] != 0 || counted[skipped::keepalive] != 0 ||
           counted[skipped::route_refresh] != 0;
}

// Returns why there is no table; empty if there is one.
std::string refusal(const collector& table) {
    const mrt_report& report = table.report;
    if (table.has_routes())
        return {};
    if (!table.others().empty())
        return "no routes of this peer; peers: " + name_peers(table.others());
    if (report.multicast != 0)
        return "the file has only multicast routes";
    if (has_messages(report))
        return "the file has updates, not a table; `fingerpost replay` applies them to a table";
    if (report.counted.damaged != 0 && report.counted.records <= report.counted.damaged)
        return "no readable MRT record; byte " + std::to_string(report.damaged.front().offset) + ": " +
               std::string(report.damaged.front().reason);
    return report.counted.records == 0 ? "the file has no MRT records" : "";
}

} // namespace

std::vector<table_note> notes_of(const mrt_report& report) {
    const auto skipped_of = [](std::string_view name, std::uint64_t count, std::string_view description) {
        return table_note{name, count, "skipped " + std::to_string(count) + " " + std::string(description)};
    };
    const auto records = [&](std::string_view name, mrt::skipped kind) {
        return skipped_of(name, report.counted[kind], mrt::name_of(kind));
    };
    return {records("other_records", mrt::skipped::other_record),
            records("rib_generic", mrt::skipped::rib_generic),
            skipped_of("multicast", report.multicast, "entries of multicast tables"),
            skipped_of("updates", report.updates, "updates between the entries of tables")};
}

expected<both_tables, input_error> load_mrt_table(file_source& source, const table_options& options,
                                                  const mrt_choice& choice, mrt_report* report) try {
    collector table(options, choice);
    const auto make = [&choice] { return std::make_unique<table_part>(choice); };
    const auto deliver = [&table](mrt_part& part) { table.take(static_cast<table_part&>(part)); };
    mrt_result read = read_mrt(source, {make, deliver, {}});
    table.report.counted = read.counted;
    if (report != nullptr)
        *report = table.report;
    if (read.error)
        return unexpected{std::move(*read.error)};
    if (std::string reason = refusal(table); !reason.empty())
        return unexpected{input_error{source.name(), 0, {}, std::move(reason)}};
    return std::move(table).finish();
} catch (...) {
    return unexpected{input_error{source.name(), 0, {}, std::string(message(reason_of_exception()))}};
}

expected<both_tables, input_error> load_mrt_table(const std::string& path, const table_options& options,
                                                  const mrt_choice& choice, mrt_report* report) {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    return load_mrt_table(*source, options, choice, report);
}

} // namespace fingerpost::io
