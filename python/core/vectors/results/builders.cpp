// Parts of the builders that do not depend on types.
#include "python/core/vectors/results/builders.hpp"

#include <string>
#include <utility>

namespace fingerpost::python {

void struct_builder::add(std::string name, std::unique_ptr<builder> of, std::unique_ptr<valid_sink> valid) {
    parts_.push_back({std::move(name), std::move(of), std::move(valid)});
}

void struct_builder::take(const answers& block) {
    for (const part& field : parts_) {
        field.of->take(block);
        if (field.valid != nullptr)
            field.valid->take(block);
    }
}

arrow::column_type struct_builder::type() const {
    arrow::column_type result{arrow::kind::structure, {}, {}};
    for (const part& field : parts_) {
        result.fields.push_back(field.of->type());
        result.fields.back().name = field.name;
    }
    return result;
}

std::shared_ptr<const arrow::chunk> struct_builder::finish(const valid_sink& valid) {
    arrow::chunk result;
    result.type = arrow::kind::structure;
    result.length = rows_;
    if (with_nulls_) {
        result.nulls = valid.nulls();
        result.valid = valid.bits();
    }
    for (const part& field : parts_)
        result.children.push_back(field.of->finish(field.valid != nullptr ? *field.valid : valid));
    return std::make_shared<const arrow::chunk>(std::move(result));
}

} // namespace fingerpost::python
