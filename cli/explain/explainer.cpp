// Collects covers, intervals, steps and structures.
#include "cli/explain/explainer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/explain/answer_range.hpp"
#include "cli/explain/explanation_parts.hpp"
#include "cli/explain/lookup_steps.hpp"
#include "cli/explain/table_window.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

template <class A>
explainer<A>::explainer(io::loaded_table<A> table, std::vector<const scheme_entry<A>*> schemes)
    : schemes_(std::move(schemes)), rows_(std::move(table.values)), routes_(std::move(table.routes)),
      values_(rows_.view()) {
    // A fixed seed for hash tables makes explanations repeatable.
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
    : schemes_{&saved.scheme()}, saved_(std::move(saved)), values_(saved_->values(), columns) {}

// Shortest first.
template <class A>
std::vector<route<A>> explainer<A>::covers_of(A address) const {
    std::vector<route<A>> covers;
    if (saved_) {
        for (auto cover = saved_->match(address); cover; cover = saved_->cover(cover->where))
            covers.push_back(*cover);
        std::reverse(covers.begin(), covers.end());
        return covers;
    }
    for (const route<A>& entry : routes_.sorted())
        if (entry.where.contains(address))
            covers.push_back(entry);
    return covers;
}

template <class A>
explanation explainer<A>::explain(const std::string& input, A address, bool has_table) const {
    explanation result = begin_explanation(input, address, values_);
    next_hop right = next_hop::none;
    for (const route<A>& r : covers_of(address)) {
        right = r.hop;
        add_cover(result, r.where, r.hop, values_);
    }
    const auto texts = [this](next_hop row) { return values_.text(row, 0); };
    if (has_table && saved_) {
        add_table(result, table_around<A>(saved_->copy_routes(), address, texts));
    } else if (has_table) {
        add_table(result, table_around<A>(routes_.sorted(), address, texts));
    } else {
        const auto [first, last] =
            saved_ ? range_of_answer(saved_->routes(), address) : range_of_answer(routes_.sorted(), address);
        result.first = to_string(first);
        result.last = to_string(last);
    }
    for (std::size_t i = 0; i < schemes_.size(); ++i) {
        const any_fib<A>& fib = saved_ ? saved_->fib() : *fibs_[i];
        add_lookup(result, explain_lookup<A>(schemes_[i]->facts, fib, address, texts, right),
                   schemes_[i]->traceable);
    }
    return result;
}

template <class A>
explanation explainer<A>::explain_changed(const table_change<A>& change, const std::string& input,
                                          A address) const {
    io::loaded_table<A> changed{{}, rows_, {}};
    for (const route<A>& entry : routes_.sorted())
        if (entry.where != change.where)
            changed.routes.push_back(entry);
    if (change.is_added) {
        std::vector<std::string_view> cells(rows_.columns());
        cells.front() = added_next_hop;
        const auto place = std::find_if(changed.routes.begin(), changed.routes.end(),
                                        [&](const route<A>& entry) { return change.where < entry.where; });
        changed.routes.insert(place, {change.where, changed.values.intern(cells)});
    }
    return explainer(std::move(changed), schemes_).explain(input, address, true);
}

template class explainer<ipv4_address>;
template class explainer<ipv6_address>;

} // namespace fingerpost::cli
