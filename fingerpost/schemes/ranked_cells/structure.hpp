// Visits each node of the words and of their answers once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/answer_runs.hpp"
#include "fingerpost/fib/parts/cells/cell_inspect.hpp"
#include "fingerpost/schemes/ranked_cells/view.hpp"

namespace fingerpost::ranked_cells {

// Names used by memory_parts(), steps and nodes.
namespace part {
inline constexpr std::string_view bitmap_words = "bitmap words";
inline constexpr std::string_view bitmap_answers = "bitmap answers";
// The two logs of word_versions.hpp, the FIB's own one first.
inline constexpr std::string_view changed_words = "changed words";
} // namespace part

// The ends in a word, including that of the last cell, which the stored word omits. So the end of a cell's
// interval is the first set bit at or after the cell.
constexpr std::uint64_t shown_ends(const bitmap_word& word) noexcept {
    return word.ends() | std::uint64_t{1} << (word_cells - 1);
}

// The nodes of the front, for node_visit:
//
//     kind       part             what
//     words      bitmap words     0 bytes; children: the words; neighbours with one code are merged
//     word       bitmap words     child: its answers
//     answers    bitmap answers   the codes of one word, or a code shared by several words
//     redirect   bitmap answers   the escape code of words in transit
template <class Arrays, class Nodes>
class word_visit {
    using A = typename Nodes::address;
    using value = typename A::value_type;

  public:
    word_visit(const Arrays& from, const Nodes& nodes) noexcept : from_(from), nodes_(nodes) {}

    void run() {
        std::vector<word_run> runs;
        // For each single answer, the last word that has it. Other words may be between the words that share
        // it.
        std::unordered_map<std::uint32_t, std::uint32_t> last_sharing;
        for (std::uint32_t i = 0; i < from_.words.size(); ++i) {
            const bitmap_word word =
                from_.versions.empty() ? from_.words[i] : from_.versions.look(from_.words.data(), i);
            if (word.ends() == 0)
                last_sharing[word.start()] = i;
            if (word.ends() == 0 && !runs.empty() && runs.back().word == word)
                runs.back().last = i;
            else
                runs.push_back({i, i, word});
        }
        nodes_.each()({.first = A::first(),
                       .last = A::last(),
                       .kind = "words",
                       .part = part::bitmap_words,
                       .children = runs.size() + last_sharing.size() + 1,
                       .bits = word_index_bits});
        nodes_.each()({.first = A::first(),
                       .last = A::last(),
                       .level = 1,
                       .kind = "redirect",
                       .part = part::bitmap_answers,
                       .bytes = counted(nodes_.code_bytes())});
        for (const word_run& run : runs) {
            visit_word(run);
            if (run.word.ends() != 0)
                visit_answers(run, run.last, 2);
            else if (const auto shared = last_sharing.find(run.word.start()); shared != last_sharing.end()) {
                visit_answers(run, shared->second, 1);
                last_sharing.erase(shared);
            }
        }
    }

  private:
    // Adjacent words with one common answer, or a single word with boundaries.
    struct word_run {
        std::uint32_t first;
        std::uint32_t last;
        bitmap_word word;

        std::uint32_t answers() const noexcept {
            return static_cast<std::uint32_t>(std::popcount(word.ends())) + 1;
        }
    };
    static A first_of_word(std::uint32_t number) noexcept {
        return A{shift_left(static_cast<value>(number), A::bits - word_index_bits)};
    }
    static A last_of_word(std::uint32_t number) noexcept {
        return cell_last(first_of_word(number), word_index_bits);
    }
    // Words that another FIB counts have no bytes and no offset here.
    std::uint64_t counted(std::uint64_t bytes) const noexcept { return from_.is_counted ? bytes : 0; }

    void visit_word(const word_run& run) {
        nodes_.each()({.first = first_of_word(run.first),
                       .last = last_of_word(run.last),
                       .level = 1,
                       .kind = "word",
                       .part = part::bitmap_words,
                       .bytes = counted((run.last - run.first + 1) * sizeof(bitmap_word)),
                       .children = run.word.ends() != 0 ? 1U : 0U,
                       .offset = counted(run.first * sizeof(bitmap_word)),
                       .slot = run.first,
                       .first_bit = word_index_bits,
                       .bits = cell_bits - word_index_bits,
                       .contents = [&](node_contents& to) {
                           to.with = compared::bitmap;
                           to.bitmaps = {{"ends"}};
                           to.values.push_back(shown_ends(run.word));
                           to.numbers.push_back({"base", run.word.start()});
                       }});
    }
    void visit_answers(const word_run& run, std::uint32_t last_word, unsigned level) {
        const std::uint64_t offset = std::uint64_t{run.word.start()} * nodes_.code_bytes();
        nodes_.each()({.first = first_of_word(run.first),
                       .last = last_of_word(last_word),
                       .level = level,
                       .kind = "answers",
                       .part = part::bitmap_answers,
                       .bytes = counted(std::uint64_t{run.answers()} * nodes_.code_bytes()),
                       .offset = counted(offset),
                       .slot = level == 1 ? run.first : 0,
                       .contents = [&](node_contents& to) {
                           for (std::uint32_t i = 0; i < run.answers(); ++i) {
                               const std::byte* const code =
                                   from_.answers.data() + offset + i * nodes_.code_bytes();
                               add_answer(to, i, nodes_.hop_of(get_code(code, nodes_.code_bytes())));
                           }
                       }});
    }

    const Arrays& from_;
    const Nodes& nodes_;
};

} // namespace fingerpost::ranked_cells
