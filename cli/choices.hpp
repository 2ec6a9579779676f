// Schemes and instruction sets by the names that users give.
#pragma once

#include <string>
#include <vector>

#include "fingerpost/fib/registry.hpp"
#include "fingerpost/simd/dispatch.hpp"

namespace fingerpost::cli {

// All names of the registry, each once, separated by commas.
std::string scheme_names();

// Throws usage_error when no scheme has this name, or none for addresses of this width. Empty is the default.
template <class A>
const scheme_entry<A>& scheme_named(const std::string& name);

// Of names separated by commas, `all` and `default` among them; in the order of the registry, each once.
template <class A>
std::vector<const scheme_entry<A>*> schemes_named(const std::string& names);

// Of names separated by commas, or `all`; slowest first. Throws usage_error when this machine lacks one.
std::vector<const simd::kernel_table*> kernels_named(const std::string& names);

// `a,b,c` cut at the commas; empty parts are left out.
std::vector<std::string> split_names(const std::string& names);

} // namespace fingerpost::cli
