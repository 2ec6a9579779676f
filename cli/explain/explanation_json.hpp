// Explanations as objects of JSON, to be put into something larger.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// Texts may have bytes that are not UTF-8, which a dump must replace. A step has its sentence. Without
// `lists_nodes`, structures have only the number of their nodes.
nlohmann::ordered_json step_object(const explained_step& step, const explanation& e);
nlohmann::ordered_json explanation_object(const explanation& e, bool lists_nodes);

} // namespace fingerpost::cli
