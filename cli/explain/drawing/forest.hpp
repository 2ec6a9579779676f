// The nodes of a structure as a tree in memory, with the steps that read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli::drawing {

// Whether a node has a word for each of its slots, not bitmaps of its slots.
bool has_word_for_each_slot(const explained_node& node);

// How a node is drawn, which follows from what it holds.
enum class form : std::uint8_t {
    dot,    // no more than one key and one answer
    keys,   // rows of keys
    bits,   // bitmaps
    slots,  // answers, or children, by slot
    bucket, // a dot that has its children in it, as they have no slots
};

struct tree_node {
    const explained_node* node = nullptr;
    std::vector<std::size_t> children{}; // indices of nodes, slots ascending
    std::vector<std::size_t> steps{};    // that read it
    form drawn = form::dot;
    std::size_t below = 0;   // nodes under it, as far as is known
    bool is_read = false;    // by a step
    bool is_on_way = false;  // it is read, or a node below it is
    bool is_spread = false;  // drawn in full: it has a box of its own, or one below it has
    bool has_answer = false; // the answer comes from it
};

class forest {
  public:
    explicit forest(const explained_lookup& lookup);

    const std::vector<tree_node>& nodes() const { return nodes_; }
    const tree_node& at(std::size_t index) const { return nodes_[index]; }
    const std::vector<std::size_t>& roots() const { return roots_; }
    std::optional<std::size_t> parent_of(std::size_t index) const { return parents_[index]; }
    const explained_lookup& lookup() const { return *lookup_; }
    const explained_step& step(std::size_t i) const { return lookup_->steps[i]; }

    // Degrees of the step's colour, which are blue at the first and magenta at the last.
    double hue(std::size_t step) const;
    // The attributes of what this step lights up.
    std::string lit_by(std::size_t step) const;
    // The step that leads to this node: the last one that reads its parent before the node is read.
    std::optional<std::size_t> step_to(std::size_t index) const;
    // Whether each level of a trie tests the bit of the same number.
    bool is_bit_by_bit() const { return is_bit_by_bit_; }

  private:
    void link();
    void note_steps();
    form form_of(const tree_node& node) const;

    const explained_lookup* lookup_;
    std::vector<tree_node> nodes_;
    std::vector<std::size_t> roots_;
    std::vector<std::optional<std::size_t>> parents_;
    bool is_bit_by_bit_ = false;
};

} // namespace fingerpost::cli::drawing
