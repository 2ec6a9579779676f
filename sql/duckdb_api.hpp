// The functions of DuckDB's C API that SQL functions need.
//
// All are in the stable API of v1.2.0. A loadable extension gets them from DuckDB's table of functions, the
// Python package from the symbols of DuckDB's module. The declarations here need no header of DuckDB, and
// extension/extension.cpp compares them with its headers.
#pragma once

#include <cstdint>

namespace fingerpost::sql {

// Handles of DuckDB's objects.
using duckdb_handle = void*;
using duckdb_deleter = void (*)(void*);
// A scalar function, called with the handles of its state, its arguments and its result.
using duckdb_scalar_callback = void (*)(duckdb_handle, duckdb_handle, duckdb_handle);
// A table function, called with the handles of its state and its result.
using duckdb_table_callback = void (*)(duckdb_handle, duckdb_handle);
// The binding and the start of a table function.
using duckdb_info_callback = void (*)(duckdb_handle);

// Numbers of DuckDB's types.
enum class duckdb_type : std::uint32_t {
    boolean = 1,
    tinyint = 2,
    smallint = 3,
    integer = 4,
    bigint = 5,
    utinyint = 6,
    usmallint = 7,
    uinteger = 8,
    double_ = 11,
    varchar = 17,
    blob = 18,
    enumeration = 23,
    any = 34,
    null = 36,
};

// A text or blob in a vector. Up to 12 bytes are in `rest`, padded with zeros. Longer ones have their first 4
// bytes and a pointer there.
struct duckdb_text {
    static constexpr std::uint32_t longest_inline = 12;

    std::uint32_t size;
    char rest[12];
};
static_assert(sizeof(duckdb_text) == 16);

// DO(name without "duckdb_", result, arguments). A state is 0 for success.
#define FINGERPOST_DUCKDB_FUNCTIONS(DO)                                                                      \
    DO(connect, int, (duckdb_handle, duckdb_handle*))                                                        \
    DO(disconnect, void, (duckdb_handle*))                                                                   \
    DO(create_logical_type, duckdb_handle, (duckdb_type))                                                    \
    DO(destroy_logical_type, void, (duckdb_handle*))                                                         \
    DO(create_scalar_function, duckdb_handle, ())                                                            \
    DO(destroy_scalar_function, void, (duckdb_handle*))                                                      \
    DO(scalar_function_set_name, void, (duckdb_handle, const char*))                                         \
    DO(scalar_function_add_parameter, void, (duckdb_handle, duckdb_handle))                                  \
    DO(scalar_function_set_return_type, void, (duckdb_handle, duckdb_handle))                                \
    DO(scalar_function_set_special_handling, void, (duckdb_handle))                                          \
    DO(scalar_function_set_extra_info, void, (duckdb_handle, void*, duckdb_deleter))                         \
    DO(scalar_function_set_function, void, (duckdb_handle, duckdb_scalar_callback))                          \
    DO(scalar_function_get_extra_info, void*, (duckdb_handle))                                               \
    DO(scalar_function_set_error, void, (duckdb_handle, const char*))                                        \
    DO(create_scalar_function_set, duckdb_handle, (const char*))                                             \
    DO(destroy_scalar_function_set, void, (duckdb_handle*))                                                  \
    DO(add_scalar_function_to_set, int, (duckdb_handle, duckdb_handle))                                      \
    DO(register_scalar_function_set, int, (duckdb_handle, duckdb_handle))                                    \
    DO(data_chunk_get_size, std::uint64_t, (duckdb_handle))                                                  \
    DO(data_chunk_set_size, void, (duckdb_handle, std::uint64_t))                                            \
    DO(data_chunk_get_vector, duckdb_handle, (duckdb_handle, std::uint64_t))                                 \
    DO(vector_size, std::uint64_t, ())                                                                       \
    DO(vector_get_column_type, duckdb_handle, (duckdb_handle))                                               \
    DO(get_type_id, duckdb_type, (duckdb_handle))                                                            \
    DO(enum_internal_type, duckdb_type, (duckdb_handle))                                                     \
    DO(enum_dictionary_size, std::uint32_t, (duckdb_handle))                                                 \
    DO(enum_dictionary_value, char*, (duckdb_handle, std::uint64_t))                                         \
    DO(vector_get_data, void*, (duckdb_handle))                                                              \
    DO(vector_get_validity, std::uint64_t*, (duckdb_handle))                                                 \
    DO(vector_ensure_validity_writable, void, (duckdb_handle))                                               \
    DO(vector_assign_string_element_len, void, (duckdb_handle, std::uint64_t, const char*, std::uint64_t))   \
    DO(create_table_function, duckdb_handle, ())                                                             \
    DO(destroy_table_function, void, (duckdb_handle*))                                                       \
    DO(table_function_set_name, void, (duckdb_handle, const char*))                                          \
    DO(table_function_add_parameter, void, (duckdb_handle, duckdb_handle))                                   \
    DO(table_function_set_bind, void, (duckdb_handle, duckdb_info_callback))                                 \
    DO(table_function_set_init, void, (duckdb_handle, duckdb_info_callback))                                 \
    DO(table_function_set_function, void, (duckdb_handle, duckdb_table_callback))                            \
    DO(register_table_function, int, (duckdb_handle, duckdb_handle))                                         \
    DO(bind_get_parameter, duckdb_handle, (duckdb_handle, std::uint64_t))                                    \
    DO(bind_add_result_column, void, (duckdb_handle, const char*, duckdb_handle))                            \
    DO(bind_set_bind_data, void, (duckdb_handle, void*, duckdb_deleter))                                     \
    DO(bind_set_cardinality, void, (duckdb_handle, std::uint64_t, bool))                                     \
    DO(bind_set_error, void, (duckdb_handle, const char*))                                                   \
    DO(init_get_bind_data, void*, (duckdb_handle))                                                           \
    DO(init_set_init_data, void, (duckdb_handle, void*, duckdb_deleter))                                     \
    DO(function_get_bind_data, void*, (duckdb_handle))                                                       \
    DO(function_get_init_data, void*, (duckdb_handle))                                                       \
    DO(function_set_error, void, (duckdb_handle, const char*))                                               \
    DO(get_varchar, char*, (duckdb_handle))                                                                  \
    DO(destroy_value, void, (duckdb_handle*))                                                                \
    DO(free, void, (void*))

struct duckdb_api {
#define FINGERPOST_DUCKDB_MEMBER(name, result, arguments) result(*name) arguments = nullptr;
    FINGERPOST_DUCKDB_FUNCTIONS(FINGERPOST_DUCKDB_MEMBER)
#undef FINGERPOST_DUCKDB_MEMBER
};

// Set before the first function is registered.
inline duckdb_api api;

// A logical type that lives as long as this object.
class logical_type {
  public:
    explicit logical_type(duckdb_type type) : handle_(api.create_logical_type(type)) {}
    // The type of a vector.
    explicit logical_type(duckdb_handle vector) : handle_(api.vector_get_column_type(vector)) {}
    ~logical_type() { api.destroy_logical_type(&handle_); }
    logical_type(const logical_type&) = delete;
    logical_type& operator=(const logical_type&) = delete;
    operator duckdb_handle() const noexcept { return handle_; }

  private:
    duckdb_handle handle_;
};

} // namespace fingerpost::sql
