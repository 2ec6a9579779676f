// The sentence for each step of a lookup, the same on every page and in JSON.
#include <fmt/format.h>
#include <string>

#include "cli/explain/explanation.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {
namespace {

// `bits 16 to 21 (0x12 = 18)`, `bit 7 (1)`
std::string bits_in_words(const explained_step& step) {
    if (step.bits == 1)
        return fmt::format("bit {} ({})", step.first_bit, step.seen == "0x1" ? "1" : "0");
    std::string value = step.seen;
    if (step.bits <= 16 && step.seen.starts_with("0x"))
        value += fmt::format(" = {}", std::stoul(step.seen, nullptr, 16));
    return fmt::format("bits {} to {} ({})", step.first_bit, step.first_bit + step.bits - 1, value);
}

// `nodes[4]`, or `leaves at byte 34` where entries have several sizes.
std::string place_in_words(const explained_step& step) {
    return step.offset % step.bytes == 0 ? fmt::format("{}[{}]", step.part, step.offset / step.bytes)
                                         : fmt::format("{} at byte {}", step.part, step.offset);
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
        return fmt::format("It looks at bit {} of a bitmap, which has {} set", step.key, step.set_bits);
    const std::string bits =
        fmt::format("{} set {} before ", counted.rank == 0 ? "no" : std::to_string(counted.rank),
                    counted.rank == 1 ? "bit comes" : "bits come");
    const std::string to = fmt::format("so the lookup goes on to {}[{} + {} = {}]", step.found_in,
                                       counted.base, counted.rank, counted.base + counted.rank);
    if (step.is_in_run)
        return fmt::format(
            "Bit {} is in the run that begins at the last set bit before it, and {}that one, {}", step.key,
            bits, to);
    return fmt::format("For bit {}, {}it in the bitmap, {}", step.key, bits, to);
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
    return step.bits == 0 || step.key.empty() ? "" : fmt::format("They are the index {}", step.key);
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
    if (!step.found)
        return fmt::format("The lookup goes on in {}.", step.found_in);
    return fmt::format("The lookup goes on to {}[{}].", step.found_in, *step.found);
}

} // namespace

std::string sentence_of(const explained_step& step, const explanation& e) {
    std::string words = "Reads " + place_in_words(step);
    if (!step.prefix.empty())
        words += fmt::format(", {} for {},", step.kind, step.prefix);
    if (step.bits != 0)
        words += fmt::format(" with {}", bits_in_words(step));
    if (words.back() == ',')
        words.pop_back();
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
