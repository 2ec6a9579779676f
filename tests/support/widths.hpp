// The bodies of the library's templates, for tests of other widths than the 32 and 128 bits that it has
// compiled.
#pragma once

#include "fingerpost/image/image.inl.hpp"
#include "fingerpost/registry/registry.inl.hpp"
#include "fingerpost/rib/aggregate.inl.hpp"
#include "fingerpost/rib/rib.inl.hpp"
#include "fingerpost/table/table_by_name.inl.hpp"
