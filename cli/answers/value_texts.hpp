// Caches the texts of value rows: each text is made once and then copied.
//
// Real traffic uses few rows again and again. Texts are kept up to a limit, then all are dropped. That costs
// less than tracking which were used last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::cli {

class value_texts {
  public:
    static constexpr std::size_t usual_bytes = std::size_t{64} << 20;

    explicit value_texts(std::size_t most_bytes = usual_bytes) : most_bytes_(most_bytes) {}

    // Returns the text of a row of `values`, which must keep its place in memory: value_rows or
    // answer_values. `make` appends the text to a string; it must append at least one character, and always
    // the same text. The result is valid until the next call.
    template <class Values, class F>
    std::string_view get(const Values& values, next_hop number, F make) {
        place& at = place_of(values, number);
        if (at.size == 0) {
            const std::size_t before = bytes_.size();
            make(bytes_);
            at = {before, bytes_.size() - before};
        }
        return std::string_view(bytes_).substr(at.offset, at.size);
    }

  private:
    struct place {
        std::size_t offset = 0;
        std::size_t size = 0; // 0: no text yet
    };
    struct places {
        const void* of;
        std::vector<place> rows;
    };

    template <class Values>
    place& place_of(const Values& values, next_hop number) {
        if (bytes_.size() > most_bytes_)
            forget();
        for (places& table : tables_)
            if (table.of == &values)
                return table.rows[number.id];
        return tables_.emplace_back(places{&values, std::vector<place>(values.size())}).rows[number.id];
    }
    void forget() {
        bytes_.clear();
        tables_.clear();
    }

    std::size_t most_bytes_;
    std::vector<places> tables_; // one per family
    std::string bytes_;
};

} // namespace fingerpost::cli
