// The sentence for each step of a lookup, the same on every page and in JSON.
#include <cctype>
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

// Of a bitmap of prefixes.
std::string match_in_words(const explained_step& step) {
    if (!step.matched)
        return step.misses_prefixes ? "None of its prefixes covers the address. " : "";
    const std::string covers = "Its longest prefix that covers the address is " + step.matched_prefix;
    if (!step.node)
        return covers + ". ";
    const std::uint64_t first = std::uint64_t{1} << step.matched->length;
    const std::string bit = step.matched->length < step.bits
                                ? fmt::format("2^{} + {} = {}", step.matched->length,
                                              step.matched_slot - first, step.matched_slot)
                                : std::to_string(step.matched_slot);
    return fmt::format("{}, which is bit {} of {}. ", covers, bit,
                       step.matched_in.empty() ? "the bitmap" : step.matched_in);
}

std::string bitmap_in_words(const explained_step& step) {
    const bit_count& counted = step.counted;
    const std::string match = match_in_words(step);
    const std::string where = step.counted_in.empty() ? "the bitmap" : step.counted_in;
    // Without its node it is not known which of several words are one bitmap.
    const bool is_split = step.node || (step.values.size() == 1 && !step.matched);
    if (counted.words == 0 && !is_split)
        return fmt::format("{}It looks at bit {} of bitmaps, which have {} set", match, step.key,
                           step.set_bits);
    if (counted.words == 0 && !step.is_key)
        return fmt::format("{}Bit {} of {} is not set", match, step.key, where);
    if (counted.words == 0)
        return fmt::format("{}It looks at bit {} of {}, which has {} set", match, step.key, where,
                           step.set_bits);
    const std::string unset =
        step.unset_in.empty() ? "" : fmt::format("Bit {} of {} is not set. ", step.key, step.unset_in);
    const std::string bits =
        fmt::format("{} set {} before ", counted.rank == 0 ? "no" : std::to_string(counted.rank),
                    counted.rank == 1 ? "bit comes" : "bits come");
    const std::string to = fmt::format("so the lookup goes on to {}[{} + {} = {}]", step.found_in,
                                       counted.base, counted.rank, counted.base + counted.rank);
    if (!is_split)
        return fmt::format("{}For bit {}, {}it in the counted bitmap, {}", match, step.key, bits, to);
    if (step.is_in_run)
        return fmt::format("{}In {}, bit {} lies in the run that begins at bit {}, and {}that one, {}", unset,
                           where, step.key, step.counted_before, bits, to);
    if (step.counts_to_match())
        return fmt::format("{}{}{}{}it, {}", unset, match, static_cast<char>(std::toupper(bits[0])),
                           bits.substr(1), to);
    return fmt::format("{}{}Bit {} of {} is set, and {}it, {}", match, unset, step.key, where, bits, to);
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
    if (step.best && step.result != outcome::answered) {
        words += fmt::format(" Best match so far: {}",
                             step.best->empty() ? "a route without a next hop" : io::printable(*step.best));
        if (step.matched && !step.matched->part.empty())
            words += fmt::format(", which {}[{}] holds", step.matched->part, step.matched->entry);
        words += '.';
    }
    return words;
}

} // namespace fingerpost::cli
