// Builders of Arrow chunks: sinks that build the chunk of one want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/core/arrow/chunk.hpp"
#include "python/core/vectors/results/sinks.hpp"
#include "python/core/vectors/run.hpp"

namespace fingerpost::python {

// Call type() and finish() after the lookup of all rows, without the GIL.
class builder : public sink {
  public:
    virtual arrow::column_type type() const = 0;
    virtual std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid) = 0;
};

// A chunk without values.
inline arrow::chunk rows_of(arrow::kind kind, std::size_t rows, const valid_sink& valid) {
    arrow::chunk result;
    result.type = kind;
    result.length = rows;
    result.nulls = valid.nulls();
    result.valid = valid.bits();
    return result;
}

// Builds numbers of one type. `Of` is described at number_sink.
template <class T, class Of>
class number_builder final : public builder {
  public:
    number_builder(arrow::kind kind, std::size_t rows, T missed, Of of)
        : kind_(kind), rows_(rows), values_(arrow::room_for<T>(rows)),
          fill_(values_.get(), {missed, missed}, std::move(of)) {}

    void take(const answers& block) override { fill_.take(block); }
    arrow::column_type type() const override { return {kind_, {}, {}}; }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid) override {
        arrow::chunk result = rows_of(kind_, rows_, valid);
        result.values = std::move(values_);
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    arrow::kind kind_;
    std::size_t rows_;
    std::shared_ptr<T[]> values_;
    number_sink<T, Of> fill_;
};

// Builds booleans. They are bytes until finish(), because threads cannot write bits of the same byte.
template <class Of>
class boolean_builder final : public builder {
  public:
    boolean_builder(std::size_t rows, bool missed, Of of)
        : rows_(rows), values_(arrow::room_for<std::uint8_t>(rows)),
          fill_(values_.get(), {missed, missed}, std::move(of)) {}

    void take(const answers& block) override { fill_.take(block); }
    arrow::column_type type() const override { return {arrow::kind::boolean, {}, {}}; }
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid) override {
        const auto bits = std::make_shared<std::uint8_t[]>(arrow::bitmap_bytes(rows_));
        for (std::size_t row = 0; row < rows_; ++row)
            bits[row / 8] = static_cast<std::uint8_t>(bits[row / 8] | values_[row] << row % 8);
        arrow::chunk result = rows_of(arrow::kind::boolean, rows_, valid);
        result.values = bits;
        return std::make_shared<const arrow::chunk>(std::move(result));
    }

  private:
    std::size_t rows_;
    std::shared_ptr<std::uint8_t[]> values_;
    number_sink<std::uint8_t, Of> fill_;
};

template <class Of>
std::unique_ptr<builder> make_boolean_builder(std::size_t rows, bool missed, Of of) {
    return std::make_unique<boolean_builder<Of>>(rows, missed, std::move(of));
}

template <class T, class Of>
std::unique_ptr<builder> make_number_builder(arrow::kind kind, std::size_t rows, T missed, Of of) {
    return std::make_unique<number_builder<T, Of>>(kind, rows, missed, std::move(of));
}

// Builds a struct from the chunks of other builders.
class struct_builder final : public builder {
  public:
    // With `with_nulls`, rows without a route are null; otherwise only their fields are null.
    struct_builder(std::size_t rows, bool with_nulls) : rows_(rows), with_nulls_(with_nulls) {}
    // Adds a field. `valid` is its bitmap if it differs from that of the struct.
    void add(std::string name, std::unique_ptr<builder> of, std::unique_ptr<valid_sink> valid = nullptr);

    void take(const answers& block) override;
    arrow::column_type type() const override;
    std::shared_ptr<const arrow::chunk> finish(const valid_sink& valid) override;

  private:
    struct part {
        std::string name;
        std::unique_ptr<builder> of;
        std::unique_ptr<valid_sink> valid;
    };
    std::size_t rows_;
    bool with_nulls_;
    std::vector<part> parts_;
};

} // namespace fingerpost::python
