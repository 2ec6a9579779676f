// Collects covers, intervals and steps, and writes numbers in the form of the address.
#include "cli/explain/explainer.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

#include "cli/explain/answer_range.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// `bits` bits of an address from `first` on: dotted or in groups if they are whole octets or groups, else
// hexadecimal.
template <class A>
std::string part_of_address(std::uint64_t number, unsigned first, unsigned bits) {
    constexpr unsigned unit = A::bits == 32 ? 8 : 16;
    if (first % unit != 0 || bits % unit != 0)
        return fmt::format("{:#0{}x}", number, 2 + (bits + 3) / 4);
    std::string out;
    for (unsigned left = bits; left > 0; left -= unit) {
        const std::uint64_t one = number >> (left - unit) & low_mask<std::uint64_t>(unit);
        const std::string_view separator = out.empty() ? "" : A::bits == 32 ? "." : ":";
        out += A::bits == 32 ? fmt::format("{}{}", separator, one) : fmt::format("{}{:x}", separator, one);
    }
    return out;
}

// Writes the numbers of one step. Schemes pad the bits that they use to 32 or 64; the sought key and the size
// of the numbers show which.
template <class A>
class number_writer {
  public:
    number_writer(A address, const trace_step& step)
        : first_(step.first_bit), bits_(std::min(step.bits, 64U)) {
        if (bits_ == 0 || step.with != compared::keys)
            return;
        std::uint64_t largest = step.key;
        for (const std::uint64_t value : step.values)
            largest = std::max(largest, value);
        const std::uint64_t sought = slice(address, first_, bits_);
        for (const unsigned width : {64U, 32U, bits_}) {
            if (width < bits_ || largest > low_mask<std::uint64_t>(width) ||
                step.key >> (width - bits_) != sought)
                continue;
            // A zero fits any width.
            is_part_ = step.key != 0 || !is_part_ || padding_ == width - bits_;
            padding_ = is_part_ ? width - bits_ : 0;
        }
    }
    std::string text(std::uint64_t number) const {
        return is_part_ ? part_of_address<A>(number >> padding_, first_, bits_)
                        : fmt::format("{:#x}", number);
    }

    bool is_part() const { return is_part_; }
    // As far as the step looks.
    bool is_below(std::uint64_t a, std::uint64_t b) const { return a >> padding_ < b >> padding_; }
    bool is_equal(std::uint64_t a, std::uint64_t b) const { return a >> padding_ == b >> padding_; }

  private:
    unsigned first_;
    unsigned bits_;
    unsigned padding_ = 0;
    bool is_part_ = false; // the key is a part of the address
};

template <class A>
std::string seen_bits(A address, const trace_step& step) {
    if (step.bits == 0)
        return {};
    if (step.bits == A::bits)
        return to_string(address);
    if (step.bits <= 64)
        return part_of_address<A>(slice(address, step.first_bit, step.bits), step.first_bit, step.bits);
    return to_string(prefix<A>::make(address, step.first_bit + step.bits));
}

// Numbers cache lines in the order of their first reads.
class line_numbers {
  public:
    std::vector<std::size_t> read(const trace_step& step) {
        constexpr std::uint64_t line_bytes = 64;
        std::vector<std::size_t> numbers;
        const auto first = reinterpret_cast<std::uintptr_t>(step.at);
        for (std::uint64_t line = first / line_bytes; line <= (first + step.bytes - 1) / line_bytes; ++line) {
            const auto known = std::find(known_.begin(), known_.end(), line);
            numbers.push_back(static_cast<std::size_t>(known - known_.begin()) + 1);
            if (known == known_.end())
                known_.push_back(line);
        }
        return numbers;
    }

  private:
    std::vector<std::uint64_t> known_;
};

template <class A>
explained_step explain_step(A address, const trace_step& step, line_numbers& lines) {
    const number_writer<A> writer(address, step);
    explained_step told{.part = std::string(step.part),
                        .kind = std::string(step.kind),
                        .level = step.level,
                        .offset = step.offset,
                        .bytes = step.bytes,
                        .lines = lines.read(step),
                        .first_bit = step.first_bit,
                        .bits = step.bits,
                        .seen = seen_bits(address, step),
                        .with = step.with,
                        .result = step.result,
                        .found = step.found};
    // Some schemes do not give an index.
    const bool has_key = step.with != compared::nothing || step.key != 0 || step.bits == 0 ||
                         slice(address, step.first_bit, step.bits) == 0;
    if (has_key)
        told.key = step.with == compared::keys ? writer.text(step.key) : std::to_string(step.key);
    told.is_cut = step.with == compared::keys && step.bits > 64 && writer.is_part();
    told.is_ascending = std::is_sorted(step.values.begin(), step.values.end());
    for (const std::uint64_t value : step.values) {
        told.values.push_back(writer.text(value));
        told.below += writer.is_below(value, step.key) ? 1U : 0U;
        told.is_key = told.is_key || writer.is_equal(value, step.key);
        told.set_bits += static_cast<std::size_t>(std::popcount(value));
    }
    return told;
}

template <class A>
next_hop trace_lookup(const any_fib<A>& fib, A address, std::vector<explained_step>& steps) {
    line_numbers lines;
    const auto add = [&](const trace_step& step) { steps.push_back(explain_step(address, step, lines)); };
    return fib.trace(address, add);
}

} // namespace

template <class A>
explainer<A>::explainer(io::loaded_table<A> table, std::vector<const scheme_entry<A>*> schemes)
    : schemes_(std::move(schemes)), rows_(std::move(table.values)), routes_(std::move(table.routes)),
      values_(rows_.view()) {
    // What hash tables draw at random otherwise is fixed: the same question gets the same explanation.
    const build_options options{.hash_seed = 1};
    progress now;
    for (const scheme_entry<A>* const scheme : schemes_) {
        now.show(fmt::format("building {}", scheme->facts.name));
        auto fib = scheme->build(routes_, options);
        if (!fib)
            throw failure(fmt::format("{} cannot be built: {}", scheme->facts.name, message(fib.error())));
        fibs_.push_back(std::move(*fib));
    }
}

template <class A>
explainer<A>::explainer(image<A> saved, const std::vector<std::string>& columns)
    : schemes_{&default_scheme<A>()}, saved_(std::move(saved)), values_(saved_->values(), columns) {}

// Shortest first.
template <class A>
std::vector<route<A>> explainer<A>::covers_of(A address) const {
    std::vector<route<A>> covers;
    if (saved_) {
        for (auto one = saved_->match(address); one; one = saved_->cover(one->where))
            covers.push_back(*one);
        std::reverse(covers.begin(), covers.end());
        return covers;
    }
    for (const route<A>& one : routes_.sorted())
        if (one.where.contains(address))
            covers.push_back(one);
    return covers;
}

template <class A>
std::string explainer<A>::cell(next_hop row, std::size_t column) const {
    return values_.is_number(column) ? std::to_string(row.id) : std::string(values_.cell(row, column));
}

template <class A>
explanation explainer<A>::explain(const std::string& asked, A address) const {
    explanation told{.asked = asked, .address = to_string(address), .family = family_of<A>};
    for (std::size_t i = 0; i < values_.columns(); ++i)
        told.columns.emplace_back(values_.name(i));
    next_hop right = next_hop::none;
    for (const route<A>& r : covers_of(address)) {
        right = r.hop;
        covering_prefix& cover = told.covers.emplace_back(covering_prefix{to_string(r.where)});
        for (std::size_t i = 0; i < values_.columns(); ++i)
            cover.values.push_back(cell(r.hop, i));
    }
    const auto [first, last] =
        saved_ ? range_of_answer(saved_->routes(), address) : range_of_answer(routes_.sorted(), address);
    told.first = to_string(first);
    told.last = to_string(last);
    for (std::size_t i = 0; i < schemes_.size(); ++i) {
        const any_fib<A>& fib = saved_ ? saved_->fib() : *fibs_[i];
        const scheme_facts& facts = schemes_[i]->facts;
        explained_lookup lookup{.scheme = facts.name,
                                .summary = facts.summary,
                                .memory_bytes = total_bytes(fib.memory_parts()),
                                .shows_steps = schemes_[i]->traceable};
        if (trace_lookup(fib, address, lookup.steps) != right)
            throw failure(fmt::format("{} answers {} otherwise than the table; see fingerpost help check",
                                      facts.name, told.address));
        told.lookups.push_back(std::move(lookup));
    }
    return told;
}

template class explainer<ipv4_address>;
template class explainer<ipv6_address>;

} // namespace fingerpost::cli
