// Schemes and instruction sets by the names that users give.
#pragma once

#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/simd/isa.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

// All names of the registry, each once.
std::vector<std::string> scheme_names();
// The same after `default` and `all`, which options for several schemes accept too.
std::vector<std::string> scheme_choices();
// The present name of a scheme that may be given by a former one.
std::string present_scheme(std::string name);
// Reads names of schemes, also former ones and those with strides.
name_reader hidden_scheme_names();
// --scheme with one name, or with several from scheme_choices().
option& add_scheme(command& to, std::string& target, std::string help);
option& add_schemes(command& to, std::vector<std::string>& target, std::string help);
// Throws usage_error if this is the name of a scheme with strides that are wrong for the family.
template <class A>
void refuse_wrong_strides(const std::string& name);
// The default scheme, and the one that others are compared with.
std::string default_name();
std::string default_baseline();
// The instruction sets of this machine, after `all`.
std::vector<std::string> isa_choices();

// For the option --scheme; an empty name means the default. Throws usage_error if no scheme of this name
// serves addresses of this width.
template <class A>
const scheme_entry<A>& scheme_named(const std::string& name);

// For names from scheme_choices(), in the order of the registry, each once. Throws
// usage_error if one of them does not serve addresses of this width.
template <class A>
std::vector<const scheme_entry<A>*> schemes_named(const std::vector<std::string>& names);

// For names from isa_choices(); slowest first.
std::vector<simd::isa> isas_named(const std::vector<std::string>& names);

} // namespace fingerpost::cli
