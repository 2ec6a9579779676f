// Finds DuckDB's functions by their symbols.
#include "python/core/sql/static_registration.hpp"

#include <cstdint>
#include <dlfcn.h>

#include "sql/duckdb_api.hpp"
#include "sql/scalar_functions.hpp"
#include "sql/table_functions.hpp"

namespace fingerpost::python {
namespace {

using sql::api;
using sql::duckdb_handle;

// Argument of the entry of an extension (duckdb_extension_access).
struct extension_access {
    void (*set_error)(duckdb_handle, const char*);
    duckdb_handle* (*get_database)(duckdb_handle);
    const void* (*get_api)(duckdb_handle, const char*);
};

// Layout 1 of a description (duckdb_extension_descriptor).
struct extension_description {
    std::uint32_t layout;
    void (*set_error)(extension_description*, const char*);
    void* internal;
    const char* name;
    const char* extension_version;
    const char* api_version;
    void (*entry_cpp)();
    void (*entry_c)();
    void (*entry_c2)();
};
using describe_function = std::int32_t (*)(extension_description*);

// Called for each database that is opened. An error would make opening fail, so a database without the
// functions is fine.
bool enter(duckdb_handle info, extension_access* access) {
    duckdb_handle connection = nullptr;
    if (api.connect(*access->get_database(info), &connection) != 0)
        return true;
    static_cast<void>(sql::register_scalar_functions(connection) &&
                      sql::register_table_functions(connection));
    api.disconnect(&connection);
    return true;
}

std::int32_t describe(extension_description* out) {
    out->layout = 1;
    out->name = "fingerpost";
    out->extension_version = FINGERPOST_VERSION;
    out->api_version = "v1.2.0";
    out->entry_c = reinterpret_cast<void (*)()>(&enter);
    return 0;
}

bool find_functions(void* module) {
    bool has_all = true;
    const auto find = [&]<class F>(F& to, const char* name) {
        to = reinterpret_cast<F>(dlsym(module, name));
        has_all &= to != nullptr;
    };
#define FINGERPOST_DUCKDB_FIND(name, result, arguments) find(api.name, "duckdb_" #name);
    FINGERPOST_DUCKDB_FUNCTIONS(FINGERPOST_DUCKDB_FIND)
#undef FINGERPOST_DUCKDB_FIND
    return has_all;
}

} // namespace

bool register_in_module(const char* path) {
    static const bool is_registered = [path] {
        void* const module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
        if (module == nullptr)
            return false;
        const auto add = reinterpret_cast<std::int32_t (*)(describe_function)>(
            dlsym(module, "duckdb_register_static_extension"));
        return add != nullptr && find_functions(module) && add(&describe) == 0;
    }();
    return is_registered;
}

} // namespace fingerpost::python
