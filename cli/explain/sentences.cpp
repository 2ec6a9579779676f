// The sentence for each step of a lookup, the same on every page and in JSON.
#include <cctype>
#include <fmt/format.h>
#include <string>

#include "cli/explain/node_words.hpp"
#include "fingerpost/net/address.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::cli {
namespace {

// The bits of the address that a step uses, as the subject of a sentence.
std::string subject_of(const explained_step& step, const explanation& e) {
    if (step.bits == (e.family == family::ipv4 ? ipv4_address::bits : ipv6_address::bits))
        return "The address";
    std::string words = bit_range(step.first_bit, step.bits) + " of the address";
    words.front() = 'B';
    return words;
}

// `0x12, or 18`
std::string value_in_words(const explained_step& step) {
    if (step.bits == 1)
        return step.address_bits == "0x1" ? "1" : "0";
    if (step.bits <= 16 && step.address_bits.starts_with("0x"))
        return fmt::format("{}, or {}", step.address_bits, std::stoul(step.address_bits, nullptr, 16));
    return step.address_bits;
}

// `nodes[4]`, or `leaves at byte 34` where entries have several sizes.
std::string place_in_words(const explained_step& step) {
    return step.offset % step.bytes == 0 ? fmt::format("{}[{}]", step.part, step.offset / step.bytes)
                                         : fmt::format("{} at byte {}", step.part, step.offset);
}

// ` (10.1)` after the subject, unless that is the whole address.
std::string in_brackets(const std::string& subject, const std::string& value) {
    return subject == "The address" || value.empty() ? "" : fmt::format(" ({})", value);
}

std::string one_key_in_words(const explained_step& step, const explanation& e) {
    const bool is_equal = step.is_key, is_one = step.bits == 1 || step.bits == 0;
    std::string subject = step.bits == 0 ? step.key : subject_of(step, e);
    const bool is_address = subject == "The address";
    const std::string& key = step.values.front();
    if (is_equal)
        return fmt::format("{} {} its key {}{}.", subject, is_one || is_address ? "equals" : "equal", key,
                           step.is_cut ? " in the first 64 bits" : "");
    subject += in_brackets(subject, step.address_bits);
    if (step.result == outcome::missed || !step.is_ascending)
        return fmt::format("{} {} from its key {}.", subject, is_one || is_address ? "differs" : "differ",
                           key);
    return fmt::format("{} {} {} its key {}.", subject, is_one || is_address ? "is" : "are",
                       step.below > 0 ? "above" : "not above", key);
}

std::string keys_in_words(const explained_step& step, const explanation& e) {
    const std::size_t count = step.values.size();
    if (count == 0)
        return "It has no keys.";
    if (count == 1)
        return one_key_in_words(step, e);
    std::string subject = step.bits == 0 ? step.key : subject_of(step, e);
    subject += in_brackets(subject, step.address_bits);
    if (step.bits != 0)
        subject.front() = static_cast<char>(std::tolower(subject.front()));
    std::string words = fmt::format("Compare {} with its {} keys: ", subject, count);
    if (step.result == outcome::missed || !step.is_ascending)
        return words + (step.is_key ? "one is equal." : "none is equal.");
    if (step.below == count)
        return words + "all are smaller.";
    const std::string_view equal = step.is_key && !step.is_cut ? ", which is equal" : "";
    if (step.below == 0)
        return words + fmt::format("none is smaller, and the first is {}{}.", step.values.front(), equal);
    return words + fmt::format("{} {} smaller, and the next is {}{}.", step.below,
                               step.below == 1 ? "is" : "are", step.values[step.below], equal);
}

// `The first 8 bits of the address match, and bit 8 is 0.`
std::string prefix_in_words(const explained_step& step) {
    const unsigned bits = step.compared_bits;
    const std::string first = bits == 1 ? "first bit" : fmt::format("first {} bits", bits);
    if (bits != 0 && !step.is_in_prefix)
        return fmt::format("The {} of the address ({}) {} not match.", first, step.compared_text,
                           bits == 1 ? "does" : "do");
    std::string words =
        bits == 0 ? "" : fmt::format("The {} of the address {}", first, bits == 1 ? "matches" : "match");
    if (!step.branch)
        return words + '.';
    if (step.result != outcome::goes_on)
        return words + fmt::format(", and there is no child for bit {}, which is {}.", bits, *step.branch);
    return bits == 0 ? fmt::format("Bit 0 of the address is {}.", *step.branch)
                     : words + fmt::format(", and bit {} is {}.", bits, *step.branch);
}

// The longest prefix in a bitmap of prefixes.
std::string match_in_words(const explained_step& step) {
    if (!step.matched)
        return step.misses_prefixes ? "None of its prefixes covers the address. " : "";
    const std::string covers =
        "The longest of its prefixes that covers the address is " + step.matched_prefix;
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

// The bits that are counted to find the next entry.
std::string count_in_words(const explained_step& step, const std::string& match) {
    const bit_count& counted = step.counted;
    const std::string where = step.counted_in.empty() ? "the bitmap" : step.counted_in;
    const std::string bits =
        fmt::format("{} set {} before", counted.rank == 0 ? "no" : std::to_string(counted.rank),
                    counted.rank == 1 ? "bit comes" : "bits come");
    const std::string to = fmt::format("so go to {}[{} + {} = {}].", step.next_part, counted.base,
                                       counted.rank, counted.base + counted.rank);
    if (!(step.node || (step.values.size() == 1 && !step.matched)))
        return fmt::format("{}In the bitmap that is counted, {} bit {}, {}", match, bits, step.key, to);
    const std::string unset =
        step.unset_in.empty() ? "" : fmt::format("Bit {} of {} is not set. ", step.key, step.unset_in);
    if (step.is_in_run)
        return fmt::format("{}In {}, bit {} belongs to the run that starts at bit {}, and {} that one, {}",
                           unset, where, step.key, step.counted_before, bits, to);
    if (step.counts_to_match())
        return fmt::format("{}{}In {}, {} it, {}", unset, match, where, bits, to);
    return fmt::format("{}{}Bit {} of {} is set, and {} it, {}", match, unset, step.key, where, bits, to);
}

std::string bitmap_in_words(const explained_step& step) {
    const std::string match = match_in_words(step);
    if (step.counted.words != 0)
        return count_in_words(step, match);
    const std::string where = step.counted_in.empty() ? "the bitmap" : step.counted_in;
    // Without its node it is not known which of several words are one bitmap.
    const bool is_split = step.node || (step.values.size() == 1 && !step.matched);
    if (is_split && !step.is_key)
        return fmt::format("{}Bit {} of {} is not set.", match, step.key, where);
    return fmt::format("{}Look at bit {} of {}, which {} {} set.", match, step.key,
                       is_split ? where : "bitmaps", is_split ? "has" : "have",
                       step.set_bits == 1 ? "1 bit" : fmt::format("{} bits", step.set_bits));
}

std::string comparison_in_words(const explained_step& step, const explanation& e) {
    if (step.compared_bits != 0 || step.branch)
        return prefix_in_words(step);
    if (step.with == compared::keys)
        return keys_in_words(step, e);
    std::string words;
    if (step.skipped != 0)
        words = fmt::format("Skip {}. ", bit_range(step.first_bit - step.skipped, step.skipped));
    if (step.bits == 1)
        words += fmt::format("{} is {}.", subject_of(step, e), value_in_words(step));
    else if (step.bits > 0 && step.with == compared::nothing && !step.key.empty())
        words = fmt::format("{} ({}) give the index {}.", subject_of(step, e), step.address_bits, step.key);
    else if (step.bits > 0)
        words = fmt::format("{} are {}.", subject_of(step, e), value_in_words(step));
    if (step.with == compared::bitmap)
        words += (words.empty() ? "" : " ") + bitmap_in_words(step);
    return words;
}

std::string outcome_in_words(const explained_step& step, const explanation& e) {
    if (step.result == outcome::answered)
        return fmt::format("Answer: {}.", e.answer());
    if (step.next_part.empty())
        return fmt::format("The search ends here. Answer: {}.", e.answer());
    // Counting has already named the entry.
    if (step.result == outcome::goes_on && step.counted.words != 0)
        return {};
    const std::string place = step.next_entry ? fmt::format("to {}[{}]", step.next_part, *step.next_entry)
                                              : fmt::format("on in {}", step.next_part);
    if (step.result == outcome::missed && step.turns_back)
        return fmt::format("Turn back and go {}.", place);
    // Keys and bitmaps have already shown that nothing matches.
    if (step.result == outcome::missed && step.with == compared::nothing)
        return fmt::format("No match here. Go {}.", place);
    return fmt::format("Go {}.", place);
}

// `, the route for 10.0.0.0/8`, `, a leaf`; nothing for a node that is the whole part.
std::string node_in_words(const explained_step& step, const explanation& e) {
    const std::string_view everything = e.family == family::ipv4 ? "0.0.0.0/0" : "::/0";
    const std::string& kind = step.kind;
    if (!step.prefix.empty() && (step.prefix != everything || kind == "route"))
        return fmt::format(", {}the {} for {}", kind.ends_with('s') || kind == "children" ? "one of " : "",
                           kind, step.prefix);
    if (step.level == 0 && (kind == "root" || kind == "node" || kind == "leaf"))
        return ", the root";
    if (!step.prefix.empty() || kind.empty() || kind.ends_with('s'))
        return {};
    return fmt::format(
        ", {} {}", std::string_view("aeio").find(kind.front()) != std::string_view::npos ? "an" : "a", kind);
}

} // namespace

std::string sentence_of(const explained_step& step, const explanation& e) {
    std::string words = fmt::format("Read {}{}.", place_in_words(step), node_in_words(step, e));
    if (const std::string comparison = comparison_in_words(step, e); !comparison.empty())
        words += ' ' + comparison;
    if (const std::string outcome = outcome_in_words(step, e); !outcome.empty())
        words += ' ' + outcome;
    if (step.best && !step.next_part.empty()) {
        words += fmt::format(" Best match so far: {}",
                             step.best->empty() ? "a route without a next hop" : io::printable(*step.best));
        if (step.matched && !step.matched->part.empty())
            words += fmt::format(", stored in {}[{}]", step.matched->part, step.matched->entry);
        words += '.';
    }
    return words;
}

} // namespace fingerpost::cli
