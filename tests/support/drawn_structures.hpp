// Handmade and random structures for each kind of drawing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// Adds nodes depth first, in the order in which explainers list them.
class structure_maker {
  public:
    explained_node& add(unsigned level, std::uint64_t slot, std::string kind) {
        open_.resize(level + 1);
        explained_structure& all = made_.structure;
        open_[level] = all.listed.size();
        explained_node node{.number = all.listed.size(), .slot = slot, .level = level};
        if (level > 0) {
            node.parent = open_[level - 1];
            ++all.listed[open_[level - 1]].children;
        }
        node.kind = std::move(kind);
        node.part = "nodes";
        node.offset = 16 * node.number;
        node.bytes = 16;
        node.first = "10.0.0.0";
        node.last = "10.255.255.255";
        node.prefix = "10.0.0.0/8";
        ++all.nodes;
        return all.listed.emplace_back(std::move(node));
    }
    explained_step& step(std::optional<std::size_t> node, std::uint64_t slot = 0) {
        explained_step step{.part = "nodes", .node = node, .bytes = 16};
        step.lines = {1};
        step.slot = slot;
        if (node) {
            const explained_node& read = made_.structure.listed[*node];
            step.kind = read.kind;
            step.offset = read.offset;
            step.first_bit = read.first_bit;
            step.bits = read.bits;
            step.with = read.with;
            step.values = read.values;
        }
        made_.shows_steps = true;
        return made_.steps.emplace_back(std::move(step));
    }
    explained_lookup take() {
        made_.scheme = "made";
        made_.summary = "made by hand";
        made_.steps.back().result = outcome::answered;
        return std::move(made_);
    }

  private:
    explained_lookup made_;
    std::vector<std::size_t> open_;
};

inline explained_lookup binary_trie(const std::string& hop) {
    structure_maker made;
    for (unsigned level = 0; level < 20; ++level) {
        explained_node& node = made.add(level, level % 2, "node");
        node.first_bit = level;
        node.bits = 1;
        if (level % 5 == 0)
            node.answers = {{0, hop}};
    }
    for (unsigned level = 5; level < 12; ++level) {
        explained_node& node = made.add(level, 0, level == 11 ? "route" : "node");
        node.first_bit = level;
        node.bits = 1;
        if (level == 11)
            node.answers = {{0, hop}};
    }
    for (std::size_t i = 0; i < 20; ++i)
        made.step(i, i % 2);
    return made.take();
}

inline explained_lookup rows_of_keys(const std::string& hop) {
    structure_maker made;
    const auto fill = [&](explained_node& node, std::size_t padding) {
        node.bits = 32;
        node.with = compared::keys;
        for (unsigned k = 0; k < 8; ++k)
            node.values.push_back("192.168." + std::to_string(100 + k) + ".255");
        node.padding = padding;
    };
    fill(made.add(0, 0, "node"), 5);
    for (std::uint64_t slot = 0; slot < 3; ++slot) {
        explained_node& leaf = made.add(1, slot, "leaf");
        fill(leaf, slot);
        for (std::uint64_t k = 0; k < 9; ++k)
            leaf.answers.push_back({k, k == 4 ? hop : "core"});
    }
    made.step(0, 1).below = 1;
    made.step(2, 4).below = 4;
    return made.take();
}

inline explained_lookup bitmaps(const std::string& hop) {
    structure_maker made;
    for (unsigned level = 0; level < 3; ++level) {
        for (std::uint64_t slot = 0; slot < (level == 0 ? 1U : 3U); ++slot) {
            explained_node& node = made.add(level, slot * 20, "node");
            node.first_bit = 6 * level;
            node.bits = 6;
            node.with = compared::bitmap;
            node.words = {0x10000100001, 0xff00ff};
            node.values = {"0x10000100001", "0xff00ff"};
            node.numbers = {{"base0", 17}, {"base1", 4}};
        }
    }
    explained_node& leaves = made.add(3, 0, "leaves");
    for (std::uint64_t i = 0; i < 5; ++i)
        leaves.answers.push_back({i, i == 2 ? hop : "upstream"});
    made.step(0, 40).counted = {.words = 1, .base = 4, .rank = 2, .unit = 24};
    made.step(3, 40);
    made.step(6, 7);
    made.step(7, 2);
    return made.take();
}

inline explained_lookup large_table(const std::string& hop) {
    structure_maker made;
    explained_node& table = made.add(0, 0, "table");
    table.bits = 24;
    for (std::uint64_t i = 0; i < 4000; ++i)
        table.answers.push_back({i * 4000, i % 2 != 0 ? hop : "north"});
    for (std::uint64_t i = 0; i < 40; ++i) {
        explained_node& group = made.add(1, 4000 * i + 10, "group");
        group.first_bit = 24;
        group.bits = 8;
        group.answers = {{0, hop}, {128, "north"}, {255, ""}};
    }
    made.step(0, 4000 * 20 + 10);
    made.step(21, 200);
    return made.take();
}

inline explained_lookup hash_tables(const std::string& hop) {
    structure_maker made;
    for (unsigned length = 0; length < 7; ++length) {
        made.add(0, 0, "length").bits = 8 + length;
        for (unsigned i = 0; i < 3 + length * 9; ++i) {
            explained_node& route = made.add(1, 0, "route");
            route.prefix = "10." + std::to_string(i) + ".0.0/16";
            route.answers = {{0, hop}};
        }
    }
    made.step(0);
    made.step(4);
    made.step(6);
    made.step({});
    return made.take();
}

inline std::vector<explained_lookup> one_of_each_kind(const std::string& hop) {
    std::vector<explained_lookup> all;
    for (const auto make : {binary_trie, rows_of_keys, bitmaps, large_table, hash_tables})
        all.push_back(make(hop));
    return all;
}

// A random structure of dots and boxes, with steps from the root to a leaf.
inline explained_lookup random_structure(std::mt19937& random, std::size_t nodes) {
    structure_maker made;
    const auto below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    const std::size_t boxes = below(6); // 0 draws dots only
    unsigned level = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
        explained_node& node = made.add(level, below(64), "node");
        node.bits = static_cast<unsigned>(below(9));
        if (boxes > 0 && below(boxes) == 0) {
            node.with = below(2) == 0 ? compared::bitmap : compared::keys;
            for (std::size_t k = below(20) + 1; k-- > 0;) {
                node.values.push_back("2001:db8:" + std::to_string(below(65536)) + ":0");
                if (node.with == compared::bitmap)
                    node.words.push_back(random());
            }
        }
        for (std::uint64_t k = below(3) * below(9); k-- > 0;)
            node.answers.insert(node.answers.begin(), {k, "hop" + std::to_string(below(1000))});
        level = i == 0 ? 1 : static_cast<unsigned>(below(level + 2));
        level = std::max(level, 1U);
    }
    std::optional<std::size_t> at = below(nodes);
    std::vector<std::size_t> way;
    const std::vector<explained_node> listed = [&] {
        structure_maker copy = made;
        copy.step(0);
        return copy.take().structure.listed;
    }();
    for (; at; at = listed[*at].parent)
        way.insert(way.begin(), *at);
    for (const std::size_t node : way)
        made.step(node, below(64));
    return made.take();
}

} // namespace fingerpost::cli
