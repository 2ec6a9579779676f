// The texts of rows of values, made once for each requested row and then copied.
//
// Real traffic needs few rows again and again. The texts are kept up to a limit; then all are dropped, which
// costs less than finding out which were used last.
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
    // Of a row of values, which must stay where they are: value_rows or answer_values. `make` appends the
    // text of the row to a string; it makes at least one character, and the same ones each time. The answer
    // lives until the next call.
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
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

    struct place {
        std::size_t offset = 0;
        std::size_t size = 0; // 0: not made yet
    };
    struct places {
        const void* of;
        std::vector<place> rows;
    };

    template <class Values>
    place& place_of(const Values& values, next_hop number) {
        if (bytes_.size() > most_bytes)
            forget();
        for (places& one : tables_)
            if (one.of == &values)
                return one.rows[number.id];
        return tables_.emplace_back(places{&values, std::vector<place>(values.size())}).rows[number.id];
    }
    void forget() {
        bytes_.clear();
        tables_.clear();
    }

    std::vector<places> tables_; // one for each family
    std::string bytes_;
};

} // namespace fingerpost::cli
