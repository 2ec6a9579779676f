// Schemes and instruction sets by the names that users give.
#pragma once

#include <string>
#include <vector>

#include "fingerpost/registry/registry.hpp"
#include "fingerpost/simd/isa.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

// All names of the registry, without duplicates.
std::vector<std::string> scheme_names();
// `default`, `all` and all names, for options that accept several schemes.
std::vector<std::string> scheme_choices();
// Returns the current name of a scheme that may have a former name.
std::string present_scheme(std::string name);
// Reads names of schemes, including former names and names with strides.
name_reader hidden_scheme_names();
// --scheme with one name, or with several of scheme_choices().
option& add_scheme(command& to, std::string& target, std::string help);
option& add_schemes(command& to, std::vector<std::string>& target, std::string help);
// Throws usage_error if this is a scheme with strides that are invalid for the family.
template <class A>
void refuse_wrong_strides(const std::string& name);
// The default scheme, and the baseline for comparisons.
std::string default_name();
std::string default_baseline();
// `all`, then the instruction sets of this machine.
std::vector<std::string> isa_choices();

// Returns the scheme for the option --scheme; an empty name means the default. Throws usage_error if no
// scheme of this name supports addresses of this width.
template <class A>
const scheme_entry<A>& scheme_named(const std::string& name);

// Returns the schemes for names of scheme_choices(), in registry order, without duplicates. Throws
// usage_error if one of them does not support addresses of this width.
template <class A>
std::vector<const scheme_entry<A>*> schemes_named(const std::vector<std::string>& names);

// Returns the instruction sets for names of isa_choices(), slowest first.
std::vector<simd::isa> isas_named(const std::vector<std::string>& names);

} // namespace fingerpost::cli
