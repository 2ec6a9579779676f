// Tables that SQL functions look up in, by name: the path of an image, or the name of a table of the program
// that DuckDB runs in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fingerpost/columns/address_reader.hpp"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/values/view.hpp"

namespace fingerpost::sql {

enum class ask : std::uint8_t {
    hops,   // rows of values, or next hops without values
    routes, // numbers of routes, to get prefixes and lengths; each family is numbered separately
};

// The lookups of one thread in one chunk of rows. Results are valid until it is destroyed.
class chunk_lookup {
  public:
    chunk_lookup() = default;
    chunk_lookup(const chunk_lookup&) = delete;
    chunk_lookup& operator=(const chunk_lookup&) = delete;
    virtual ~chunk_lookup() = default;

    // Call once, and destroy the reader before settle().
    virtual std::unique_ptr<columns::address_reader> reader() = 0;
    // Call after the last lookup and before the functions below.
    virtual void settle() {}
    // Values of next hops of a family; without columns if next hops are numbers. A next hop may be out of
    // range.
    virtual const value_view& values(bool is_ipv4) const noexcept = 0;
    // Routes with a number that a lookup returned, for ask::routes.
    virtual const route<ipv4_address>& ipv4_route(next_hop number) const noexcept = 0;
    virtual const route<ipv6_address>& ipv6_route(next_hop number) const noexcept = 0;
};

// Any number of threads may use a source.
class table_source {
  public:
    table_source() = default;
    table_source(const table_source&) = delete;
    table_source& operator=(const table_source&) = delete;
    virtual ~table_source() = default;

    virtual std::unique_ptr<chunk_lookup> begin(ask what, std::size_t rows) = 0;
    // Names of the columns of values, and their types; none if next hops are numbers.
    virtual std::span<const std::string> columns() const = 0;
    virtual std::span<const column_type> types() const noexcept = 0;
    // Offset of the row numbers of IPv6 routes, which makes the numbers of both families different.
    virtual std::uint32_t first_ipv6_index() const noexcept = 0;
    // Whether texts of values stay where they are until the process ends, and all are valid UTF-8.
    virtual bool has_lasting_texts() const noexcept = 0;
    // Null unless the source is an image.
    virtual const both_images* images() const noexcept { return nullptr; }
};

// The source of a name: a table that was added, or else the image at this path, which stays open until the
// process ends. Throws std::runtime_error with the path and the reason if the image cannot be opened.
std::shared_ptr<table_source> source_named(std::string_view name);
// Adds a source or replaces it.
void set_source(std::string name, std::shared_ptr<table_source> source);

// The source of an image. Throws as above, also for the name of another source.
std::shared_ptr<table_source> open_images(const std::string& path);

} // namespace fingerpost::sql
