// The whole library: addresses and their text form, the RIB, FIBs of every scheme, the live table, images,
// and the map of values. Including only the needed parts compiles faster. Files with routes are read by
// io/source/any_table.hpp of fingerpost_io.
#pragma once

#include "fingerpost/base/cxx20.hpp"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/map/map.hpp"
#include "fingerpost/net/literals.hpp"
#include "fingerpost/net/std_format.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "fingerpost/rib/aggregate.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fingerpost/table/table.hpp"
