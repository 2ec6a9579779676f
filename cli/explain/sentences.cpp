// The sentence for each step of a lookup, the same on every page and in JSON.
#include <fmt/format.h>
#include <string>

#include "cli/explain/explanation.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {
namespace {

// `bits 16 to 21 (0x12)`, `bit 7 (1)`
std::string bits_in_words(const explained_step& step) {
    if (step.bits == 1)
        return fmt::format("bit {} ({})", step.first_bit, step.seen == "0x1" ? "1" : "0");
    return fmt::format("bits {} to {} ({})", step.first_bit, step.first_bit + step.bits - 1, step.seen);
}

std::string node_in_words(const explained_step& step) {
    if (!step.node)
        return fmt::format("`{}`", step.part);
    std::string words = fmt::format("{} {}", step.kind, *step.node);
    if (!step.prefix.empty())
        words += fmt::format(", which stands for {}", step.prefix);
    return words;
}

std::string keys_in_words(const explained_step& step) {
    const std::size_t count = step.values.size();
    if (count == 0)
        return "It has no keys";
    if (step.is_key && count == 1)
        return fmt::format("Its key {} is equal{}", step.values.front(),
                           step.is_cut ? " in the first 64 bits" : "");
    if (step.result == outcome::missed || !step.is_ascending)
        return count == 1 ? fmt::format("Its key {} is another", step.values.front())
                          : fmt::format("{} of its {} keys is equal", step.is_key ? "One" : "None", count);
    if (count == 1)
        return fmt::format("The address is {} its key {}", step.below > 0 ? "above" : "not above",
                           step.values.front());
    std::string words = fmt::format("{} of its {} keys are smaller", step.below, count);
    if (step.below < count)
        words += fmt::format(", the next is {}", step.values[step.below]);
    return words;
}

std::string bitmap_in_words(const explained_step& step) {
    const bit_count& counted = step.counted;
    if (counted.words == 0)
        return fmt::format("It looks at bit {} of its bitmap, which has {} set", step.key, step.set_bits);
    return fmt::format("{} set {} before bit {} of its bitmap, so the lookup goes on to entry "
                       "{} + {} = {}",
                       counted.rank == 0 ? "No" : std::to_string(counted.rank),
                       counted.rank == 1 ? "bit comes" : "bits come", step.key, counted.base, counted.rank,
                       counted.base + counted.rank);
}

std::string comparison_in_words(const explained_step& step) {
    switch (step.with) {
    case compared::keys:
        return keys_in_words(step);
    case compared::bitmap:
        return bitmap_in_words(step);
    case compared::nothing:
        break;
    }
    if (step.key.empty())
        return {};
    return step.bits == 0 ? fmt::format("It is entry {} there", step.key)
                          : fmt::format("They are the index {}", step.key);
}

std::string outcome_in_words(const explained_step& step, const explanation& e) {
    switch (step.result) {
    case outcome::answered:
        return e.covers.empty() ? "The answer: no route." : fmt::format("The answer: {}.", e.answer());
    case outcome::missed:
        return "There is nothing for this address.";
    case outcome::goes_on:
        break;
    }
    // Counting has told where.
    if (step.counted.words != 0)
        return {};
    return step.found ? fmt::format("The lookup goes on to entry {}.", *step.found) : "The lookup goes on.";
}

} // namespace

std::string sentence_of(const explained_step& step, const explanation& e) {
    std::string words = step.bits == 0
                            ? fmt::format("Reads {}", node_in_words(step))
                            : fmt::format("Takes {} to {}", bits_in_words(step), node_in_words(step));
    words += '.';
    if (const std::string comparison = comparison_in_words(step); !comparison.empty())
        words += fmt::format(" {}.", comparison);
    if (const std::string outcome = outcome_in_words(step, e); !outcome.empty())
        words += ' ' + outcome;
    if (step.best && step.result != outcome::answered)
        words += fmt::format(" In hand: {}.",
                             step.best->empty() ? "a route without a next hop" : io::printable(*step.best));
    return words;
}

} // namespace fingerpost::cli
