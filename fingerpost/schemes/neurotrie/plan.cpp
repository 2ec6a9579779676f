// The two dynamic programs, and the search for the price that meets the budget.
#include "fingerpost/schemes/neurotrie/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "fingerpost/schemes/neurotrie/learned.hpp"

namespace fingerpost::neurotrie {
namespace {

using strides = std::vector<std::uint8_t>;

// At this price of a byte, only memory matters.
constexpr double dearest = 1e4;
// At this price, only the depth matters.
constexpr double cheapest = 1e-6;
// A search ends when 99.8 % of the budget are in use, or after most_steps steps.
constexpr double log_of_well_used = -0.002;
constexpr unsigned most_steps = 16;

// For each depth: sums over the vertices below the open vertex of that depth, by their distance below it.
class open_sums {
  public:
    explicit open_sums(double of_none) : sums_(max_depth + 1), none_(of_none) {
        for (auto& row : sums_)
            row.fill(of_none);
    }

    // The sums for the vertex that will be closed next.
    const std::array<double, widest_stride + 1>& below(const vertex& v) const noexcept {
        return sums_[v.depth];
    }
    // Closes a vertex: adds its value and the sums below it to those of its parent.
    void close(const vertex& v, double own) noexcept {
        auto& row = sums_[v.depth];
        const unsigned reach = v.strides;
        if (v.depth > 0) {
            auto& above = sums_[v.depth - 1u];
            above[1] += own;
            for (unsigned s = 1; s < std::min(reach + 1, widest_stride); ++s)
                above[s + 1] += row[s];
        }
        std::fill_n(row.begin(), reach + 1, none_);
    }

  private:
    static constexpr std::size_t max_depth = 128;
    std::vector<std::array<double, widest_stride + 1>> sums_;
    double none_;
};

void choose_exactly(const vertex_list& vertices, double price, strides& chosen) {
    open_sums sums(0.0);
    chosen.resize(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const vertex& v = vertices[i];
        const auto& below = sums.below(v);
        const auto bytes = vertices.bytes(v);
        double least = std::numeric_limits<double>::infinity();
        for (unsigned s = 1; s <= v.strides; ++s) {
            const double cost = price * bytes[s - 1] + below[s];
            if (cost < least) {
                least = cost;
                chosen[i] = static_cast<std::uint8_t>(s);
            }
        }
        sums.close(v, v.weight + least);
    }
}

// A way to choose all strides for a given price of a byte, and the cost of the resulting trie.
class priced {
  public:
    priced(const vertex_list& vertices, chooser by) : all_(vertices), by_(by) {}

    trie_cost at(double price, strides& chosen) const {
        if (by_ == chooser::learned) {
            chosen.resize(all_.size());
            const learned_rule rule(all_, price);
            return measure(all_, [&](std::uint32_t v) -> unsigned {
                const unsigned s = rule.stride(all_[v]);
                chosen[v] = static_cast<std::uint8_t>(s);
                return s;
            });
        }
        choose_exactly(all_, price, chosen);
        return measure(all_, [&](std::uint32_t v) -> unsigned { return chosen[v]; });
    }
    double lowest() const noexcept { return by_ == chooser::learned ? learned_rule::cheapest : cheapest; }
    double highest() const noexcept { return by_ == chooser::learned ? learned_rule::dearest : dearest; }

  private:
    const vertex_list& all_;
    chooser by_;
};

// Finds the smallest price whose trie meets the budget. Returns false if not even the highest price does;
// `best` then has the strides for that price.
bool search(const priced& way, std::uint64_t budget, plan& best) {
    best.price = way.highest();
    best.cost = way.at(best.price, best.strides);
    if (best.cost.bytes > budget)
        return false;
    // One end of the bisection: the price and the size of its trie.
    struct end {
        double log_price, log_bytes;
    };
    const double log_budget = std::log(static_cast<double>(budget));
    strides tried;
    const auto try_price = [&](double price) {
        const trie_cost cost = way.at(price, tried);
        if (cost.bytes <= budget) {
            best.price = price;
            best.cost = cost;
            best.strides.swap(tried);
        }
        return end{std::log(price), std::log(static_cast<double>(cost.bytes))};
    };
    const auto fits = [&](const end& at) { return at.log_bytes <= log_budget; };
    end high{std::log(best.price), std::log(static_cast<double>(best.cost.bytes))};
    end low = try_price(way.lowest());
    for (unsigned step = 0; step < most_steps && !fits(low) && high.log_bytes < log_budget + log_of_well_used;
         ++step) {
        // On the line through both points but not too close to either; every third time, in the middle.
        double part = (low.log_bytes - log_budget) / (low.log_bytes - high.log_bytes);
        part = step % 3 == 2 ? 0.5 : std::clamp(part, 0.05, 0.95);
        const end next = try_price(std::exp(low.log_price + part * (high.log_price - low.log_price)));
        (fits(next) ? high : low) = next;
    }
    return true;
}

// Minimises memory under a bound on the worst depth. Computes the costs of all vertices for one bound after
// the other, each from the costs for the previous bound, until the root's cost is within the budget or a
// higher bound does not change anything.
class shallow_program {
  public:
    explicit shallow_program(const vertex_list& vertices) : all_(vertices) {}

    // Returns the strides for the smallest bound that meets the budget, if any.
    std::optional<strides> run(std::uint64_t budget) {
        const auto most = static_cast<double>(budget) - header_bytes;
        std::vector<double> before(all_.size(), std::numeric_limits<double>::infinity());
        // A trie has at most as many levels as an address has bits.
        for (unsigned levels = 1; levels <= all_[all_.root()].height; ++levels) {
            before = next(before);
            if (before.back() <= most)
                return resolved();
        }
        return std::nullopt;
    }

  private:
    std::vector<double> next(const std::vector<double>& before) {
        open_sums sums(0.0);
        std::vector<double> costs = before;
        strides& best = best_.emplace_back(all_.size());
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const vertex& v = all_[i];
            const auto bytes = all_.bytes(v);
            for (unsigned s = 1; s <= v.strides; ++s) {
                const double cost = bytes[s - 1] + sums.below(v)[s];
                if (cost < costs[i]) {
                    costs[i] = cost;
                    best[i] = static_cast<std::uint8_t>(s);
                }
            }
            sums.close(v, before[i]);
        }
        return costs;
    }
    // A vertex that did not gain from the last level keeps the strides of the previous bound.
    strides resolved() const {
        strides chosen(all_.size());
        struct entered {
            std::uint32_t vertex;
            std::size_t levels;
        };
        std::vector<entered> open{{all_.root(), best_.size()}};
        while (!open.empty()) {
            auto [number, levels] = open.back();
            open.pop_back();
            while (best_[levels - 1][number] == 0)
                --levels;
            chosen[number] = best_[levels - 1][number];
            all_.for_each_slot(
                all_[number], chosen[number],
                [&](std::uint32_t, std::uint32_t child) {
                    open.push_back({child, levels - 1});
                },
                [](std::uint32_t, std::uint32_t, std::uint32_t) {});
        }
        return chosen;
    }

    const vertex_list& all_;
    std::vector<strides> best_; // best strides, indexed by levels minus one
};

} // namespace

trie_cost measure(const vertex_list& vertices, function_ref<unsigned(std::uint32_t)> rule) {
    trie_cost sum{.bytes = header_bytes};
    struct entered {
        std::uint32_t vertex;
        unsigned level;
    };
    std::vector<entered> open{{vertices.root(), 1}};
    while (!open.empty()) {
        const entered current = open.back();
        open.pop_back();
        const vertex& v = vertices[current.vertex];
        const unsigned stride = rule(current.vertex);
        sum.bytes += vertices.bytes(v)[stride - 1];
        sum.work += v.weight;
        sum.deepest = std::max(sum.deepest, current.level);
        ++sum.nodes;
        vertices.for_each_slot(
            v, stride,
            [&](std::uint32_t, std::uint32_t child) {
                open.push_back({child, current.level + 1});
            },
            [](std::uint32_t, std::uint32_t, std::uint32_t) {});
    }
    return sum;
}

plan plan_for_budget(const vertex_list& vertices, chooser by, std::uint64_t budget) {
    const std::uint64_t target = budget - budget / 32;
    plan best;
    if (by == chooser::learned && search(priced(vertices, by), target, best)) {
        best.made_by = choice::learned;
        return best;
    }
    if (by == chooser::shallow)
        if (auto shallow = shallow_program(vertices).run(target)) {
            best.strides = std::move(*shallow);
            best.cost = measure(vertices, [&](std::uint32_t v) -> unsigned { return best.strides[v]; });
            best.made_by = choice::shallow;
            return best;
        }
    const priced exact(vertices, chooser::exact);
    best.made_by = choice::exact;
    if (search(exact, target, best) || best.cost.bytes <= budget)
        return best;
    (void)search(exact, best.cost.bytes + best.cost.bytes / 4, best);
    best.made_by = choice::least;
    return best;
}

plan plan_at_price(const vertex_list& vertices, chooser by, double price) {
    plan result;
    result.price = price;
    // A part of a trie does not determine the worst depth.
    const chooser own = by == chooser::learned ? by : chooser::exact;
    result.cost = priced(vertices, own).at(price, result.strides);
    result.made_by = own == chooser::learned ? choice::learned : choice::exact;
    return result;
}

} // namespace fingerpost::neurotrie
