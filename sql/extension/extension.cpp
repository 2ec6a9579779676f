// The entry of the loadable extension, fingerpost.duckdb_extension.
//
// It uses only the stable C API of v1.2.0, so one file fits all later versions of DuckDB.
#include <cstring>
#include <type_traits>

#define DUCKDB_EXTENSION_API_VERSION_MAJOR 1
#define DUCKDB_EXTENSION_API_VERSION_MINOR 2
#define DUCKDB_EXTENSION_API_VERSION_PATCH 0
#define DUCKDB_EXTENSION_NAME fingerpost
#include <duckdb_extension.h>

#include "sql/duckdb_api.hpp"
#include "sql/scalar_functions.hpp"
#include "sql/table_functions.hpp"

DUCKDB_EXTENSION_EXTERN

namespace {

namespace sql = fingerpost::sql;

static_assert(DUCKDB_TYPE_BOOLEAN == static_cast<int>(sql::duckdb_type::boolean));
static_assert(DUCKDB_TYPE_TINYINT == static_cast<int>(sql::duckdb_type::tinyint));
static_assert(DUCKDB_TYPE_SMALLINT == static_cast<int>(sql::duckdb_type::smallint));
static_assert(DUCKDB_TYPE_INTEGER == static_cast<int>(sql::duckdb_type::integer));
static_assert(DUCKDB_TYPE_BIGINT == static_cast<int>(sql::duckdb_type::bigint));
static_assert(DUCKDB_TYPE_UTINYINT == static_cast<int>(sql::duckdb_type::utinyint));
static_assert(DUCKDB_TYPE_USMALLINT == static_cast<int>(sql::duckdb_type::usmallint));
static_assert(DUCKDB_TYPE_UINTEGER == static_cast<int>(sql::duckdb_type::uinteger));
static_assert(DUCKDB_TYPE_DOUBLE == static_cast<int>(sql::duckdb_type::double_));
static_assert(DUCKDB_TYPE_VARCHAR == static_cast<int>(sql::duckdb_type::varchar));
static_assert(DUCKDB_TYPE_BLOB == static_cast<int>(sql::duckdb_type::blob));
static_assert(DUCKDB_TYPE_ENUM == static_cast<int>(sql::duckdb_type::enumeration));
static_assert(DUCKDB_TYPE_ANY == static_cast<int>(sql::duckdb_type::any));
static_assert(DUCKDB_TYPE_SQLNULL == static_cast<int>(sql::duckdb_type::null));
static_assert(sizeof(duckdb_string_t) == sizeof(sql::duckdb_text));

// Whether a declaration of duckdb_api.hpp has the calling convention of DuckDB's: as many arguments, and each
// of the same size.
template <class Own, class Theirs>
struct is_alike : std::false_type {};
template <class Own, class Theirs, class... O, class... T>
struct is_alike<Own (*)(O...), Theirs (*)(T...)>
    : std::bool_constant<(sizeof...(O) == sizeof...(T)) && (std::is_void_v<Own> == std::is_void_v<Theirs>)> {
};

void take_api() {
#define FINGERPOST_DUCKDB_TAKE(name, result, arguments)                                                      \
    static_assert(is_alike<decltype(sql::api.name), decltype(duckdb_##name)>::value, #name);                 \
    sql::api.name = reinterpret_cast<decltype(sql::api.name)>(duckdb_##name);
    FINGERPOST_DUCKDB_FUNCTIONS(FINGERPOST_DUCKDB_TAKE)
#undef FINGERPOST_DUCKDB_TAKE
}

} // namespace

// The macro sets only the first member of DuckDB's list of functions.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            duckdb_extension_access* access) {
    take_api();
    if (sql::register_scalar_functions(connection) && sql::register_table_functions(connection))
        return true;
    access->set_error(info, "fingerpost: DuckDB did not register the functions");
    return false;
}
