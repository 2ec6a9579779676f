// The table that `serve` answers from. It can be replaced while threads read it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answers/answers.hpp"
#include "cli/answers/table_parts.hpp"
#include "terminal/table/column_names.hpp"
#include "terminal/table/named_tables.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

// Never changes. Each request holds one until it is answered.
struct served_table {
    served_table(io::found_tables tables, const table_choice& choice, const std::string& scheme,
                 std::uint64_t number)
        : table(std::move(tables), choice, scheme),
          names(name_answers(table.columns(), choice.renamings, true)), generation(number) {
        for (const file_group& group : group_files(choice.files))
            if (!group.name.empty())
                tables_.push_back(group.name);
        if (tables_.size() > 1)
            parts_ = table_part::cut(table, tables_, names);
    }

    // Parts point into the table.
    served_table(const served_table&) = delete;
    served_table& operator=(const served_table&) = delete;

    answer_table table;
    answer_names names;
    std::uint64_t generation; // 1 at first, plus one for each reload
    std::chrono::system_clock::time_point loaded = std::chrono::system_clock::now();

    std::size_t ipv4_routes() const { return table.ipv4() == nullptr ? 0 : table.ipv4()->size(); }
    std::size_t ipv6_routes() const { return table.ipv6() == nullptr ? 0 : table.ipv6()->size(); }
    std::size_t memory_bytes() const {
        return (table.ipv4() == nullptr ? 0 : table.ipv4()->memory_bytes()) +
               (table.ipv6() == nullptr ? 0 : table.ipv6()->memory_bytes());
    }

    // The names of the tables, if they are named.
    const std::vector<std::string>& tables() const noexcept { return tables_; }
    // The part for one of these tables; nullptr for all, or if there is only one.
    const table_part* part(std::string_view name) const noexcept {
        const auto part =
            std::find_if(parts_.begin(), parts_.end(), [&](const table_part& p) { return p.name() == name; });
        return part == parts_.end() ? nullptr : &*part;
    }

  private:
    std::vector<std::string> tables_;
    std::vector<table_part> parts_; // set if there are several tables
};

using served_pointer = std::shared_ptr<const served_table>;

class table_slot {
  public:
    served_pointer current() const {
        const std::lock_guard held(lock_);
        return table_;
    }
    // Earlier requests continue with the former table, which is freed after the last of them.
    void publish(served_pointer table) {
        const std::lock_guard held(lock_);
        table_.swap(table);
    }

  private:
    mutable std::mutex lock_;
    served_pointer table_;
};

} // namespace fingerpost::cli
