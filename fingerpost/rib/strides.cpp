// The two dynamic programs: the parts that do not depend on the address width.
#include "fingerpost/rib/strides.inl.hpp"

namespace fingerpost {
namespace {

std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return std::min(a + b, impossible); // both are at most 2^62
}
std::uint64_t product(std::uint64_t count, unsigned stride) noexcept {
    return stride >= 62 || count > (impossible >> stride) ? impossible : count << stride;
}

unsigned widest_at(const stride_choice& choice, unsigned depth) noexcept {
    return depth == 0 ? std::max(choice.widest, choice.widest_root) : choice.widest;
}

} // namespace

std::uint64_t slots_of(const vertex_counts& of, std::span<const std::uint8_t> strides) noexcept {
    std::uint64_t slots = 0;
    unsigned border = 0;
    for (const std::uint8_t stride : strides) {
        if (border < of.longest())
            slots = sum(slots, product(of.inner[border], stride));
        border += stride;
    }
    return slots;
}

std::optional<fixed_plan> fixed_strides(const vertex_counts& of, const stride_choice& choice) {
    const unsigned longest = of.longest();
    // More levels than bits have no effect.
    const unsigned levels = choice.levels == 0 ? longest : std::min(choice.levels, longest);
    struct cell {
        std::uint64_t cost = impossible;
        unsigned stride = 0;
    };
    // table[r][b]: the best plan with r levels that cover b bits.
    std::vector<std::vector<cell>> table(levels + 1, std::vector<cell>(longest + 1));
    table[0][0].cost = 0;
    for (unsigned r = 1; r <= levels; ++r)
        for (unsigned border = r; border <= longest; ++border)
            for (unsigned stride = 1; stride <= border; ++stride) {
                const unsigned from = border - stride;
                if (stride > widest_at(choice, from))
                    continue;
                const std::uint64_t accesses = choice.access_price * of.longer[from];
                const std::uint64_t array = sum(product(of.inner[from], stride), accesses);
                const std::uint64_t cost = sum(table[r - 1][from].cost, array);
                if (cost < impossible && cost <= table[r][border].cost) // of equal costs, the wider stride
                    table[r][border] = {cost, stride};
            }
    unsigned best = 0;
    for (unsigned r = 1; r <= levels; ++r)
        if (table[r][longest].cost < table[best][longest].cost)
            best = r;
    if (table[best][longest].cost >= impossible)
        return std::nullopt;
    fixed_plan plan{.strides = std::vector<std::uint8_t>(best), .cost = table[best][longest].cost};
    for (unsigned r = best, border = longest; r > 0; --r) {
        plan.strides[r - 1] = static_cast<std::uint8_t>(table[r][border].stride);
        border -= table[r][border].stride;
    }
    return plan;
}

run_counts::run_counts(const packed_arrays& packed, unsigned bits, unsigned reach)
    : reach_(reach), pushed_(packed.pushed), everywhere_(packed.everywhere.id + std::uint64_t{1}),
      path_(bits), arrays_(std::size_t{bits} * (reach + 1)) {}

void run_counts::open(unsigned depth, bool right) noexcept {
    vertex& opened = path_[depth] = {.right = right};
    if (pushed_) {
        const content route = depth == 0 ? everywhere_ : path_[depth - 1].route[right];
        opened.cover = route == from_above ? path_[depth - 1].cover : route;
    }
    std::fill_n(&at(depth, 0), reach_ + 1, array{});
}

void run_counts::ends(unsigned depth, bool right, next_hop hop) noexcept {
    // The id plus one, so that no route equals `from_above`, and 0 remains free for "no next hop".
    const content route = (hop.id + std::uint64_t{1}) | (pushed_ ? 0 : std::uint64_t{depth + 1} << 40);
    path_[depth].route[right] = route;
    for (unsigned stride = 1; stride <= reach_; ++stride)
        at(depth, stride).halves[right] = {route, route};
}

void run_counts::count(unsigned depth) noexcept {
    const content cover = path_[depth].cover;
    const auto resolved = [=](content slot) { return slot == from_above ? cover : slot; };
    for (unsigned stride = 1; stride <= reach_; ++stride) {
        array& parent = at(depth, stride);
        const content left = resolved(parent.halves[0].last), right = resolved(parent.halves[1].first);
        parent.differences += left != right || left == child ? 1 : 0;
    }
}

void run_counts::close(unsigned depth) noexcept {
    if (reach_ == 0)
        return;
    const bool right = path_[depth].right;
    const content route = path_[depth - 1].route[right];
    const auto resolved = [=](content slot) { return slot == from_above ? route : slot; };
    at(depth - 1, 1).halves[right] = {child, child};
    for (unsigned stride = 1; stride < reach_; ++stride) {
        const array& closed = at(depth, stride);
        array& above = at(depth - 1, stride + 1);
        above.halves[right] = {resolved(closed.halves[0].first), resolved(closed.halves[1].last)};
        above.differences += closed.differences;
    }
}

variable_plan::program::program(variable_plan& plan, const stride_choice& choice, unsigned bits)
    : plan_(plan), choice_(choice), reach_(widest_at(choice, 0)), path_(bits),
      sums_(bits * (reach_ + 1) * plan.columns_), skipped_(bits * plan.columns_), own_(plan.columns_),
      tail_(plan.columns_), runs_(choice.packed, bits, choice.packed.cost == nullptr ? 0 : reach_) {}

void variable_plan::program::open(unsigned depth, std::size_t route, bool right) {
    const std::size_t number = plan_.strides_.size() / plan_.columns_;
    // Equal for all vertices of one route. The subtraction may wrap around; adding the depth reverses that.
    plan_.starts_[route] = number - depth;
    path_[depth] = {.number = number};
    plan_.strides_.resize(plan_.strides_.size() + plan_.columns_);
    std::fill_n(sums(depth, 0), (reach_ + 1) * plan_.columns_, 0);
    runs_.open(depth, right);
}

void variable_plan::program::ends(unsigned length, bool right, next_hop hop) noexcept {
    if (length == 0)
        return;
    runs_.ends(length - 1, right, hop);
    vertex& above = path_[length - 1];
    above.route_below = true;
    above.height = std::max(above.height, 1u);
    ++above.routes;
}

std::uint64_t variable_plan::program::array_cost(unsigned depth, unsigned stride) const noexcept {
    const packed_arrays& packed = choice_.packed;
    const std::uint64_t plain = product(packed.slot_cost, stride);
    if (packed.cost == nullptr || depth == 0)
        return plain;
    return std::min(plain, packed.cost(stride, runs_.runs(depth, stride)));
}

// With one column the number of levels is unlimited, also below an array.
void variable_plan::program::choose(unsigned depth, std::size_t column) noexcept {
    const vertex& v = path_[depth];
    const std::size_t below = bounded() ? column - 1 : column;
    std::uint64_t least = impossible;
    unsigned best = 0;
    const unsigned widest = std::min(v.height, widest_at(choice_, depth));
    for (unsigned stride = 1; stride <= widest; ++stride) {
        const std::uint64_t cost = sum(array_cost(depth, stride), sums(depth, stride)[below]);
        if (cost < impossible && cost <= least) { // of equal costs, the widest stride
            least = cost;
            best = stride;
        }
    }
    least = sum(least, choice_.access_price * v.routes);
    own_[column] = tail_[column] = least;
    if (choice_.skip_price && depth > 0 && v.children == 1 && !v.route_below) {
        const std::uint64_t after = skipped(depth)[column];
        if (after < least) {
            tail_[column] = after;
            best |= variable_plan::goes_on;
        }
        if (sum(after, *choice_.skip_price) < least) {
            own_[column] = sum(after, *choice_.skip_price);
            best = variable_plan::goes_on;
        }
    }
    plan_.strides_[v.number * plan_.columns_ + column] = static_cast<std::uint8_t>(best);
}

void variable_plan::program::close(unsigned depth) {
    const std::size_t columns = plan_.columns_;
    if (bounded())
        own_[0] = tail_[0] = impossible;
    runs_.count(depth);
    for (std::size_t column = bounded() ? 1 : 0; column < columns; ++column)
        choose(depth, column);
    if (depth == 0) {
        plan_.costs_ = own_;
        return;
    }
    runs_.close(depth);
    const vertex& v = path_[depth];
    vertex& above = path_[depth - 1];
    above.height = std::max(above.height, v.height + 1);
    above.routes += v.routes;
    ++above.children;
    std::copy(tail_.begin(), tail_.end(), skipped(depth - 1));
    for (std::size_t column = 0; column < columns; ++column)
        sums(depth - 1, 1)[column] = sum(sums(depth - 1, 1)[column], own_[column]);
    const unsigned deepest = std::min(v.height, reach_ - 1);
    for (unsigned distance = 1; distance <= deepest; ++distance) {
        const std::uint64_t* const from = sums(depth, distance);
        std::uint64_t* const to = sums(depth - 1, distance + 1);
        for (std::size_t column = 0; column < columns; ++column)
            to[column] = sum(to[column], from[column]);
    }
}

} // namespace fingerpost
