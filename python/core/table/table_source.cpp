// Copies a stream to a file in memory, because the readers of the library need a file descriptor.
#include "python/core/table/table_source.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

[[noreturn]] void raise_system(int error, nb::handle path) {
    errno = error;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());
    raise_current();
}

// Reads all bytes of a stream. Text is encoded as UTF-8.
nb::object bytes_of_stream(nb::handle stream) {
    nb::object content = stream.attr("read")();
    if (PyUnicode_Check(content.ptr())) {
        content = nb::steal(PyUnicode_AsEncodedString(content.ptr(), "utf-8", "surrogateescape"));
        if (!content.is_valid())
            raise_current();
    }
    if (!PyBytes_Check(content.ptr()))
        raise(PyExc_TypeError,
              "read() of a stream must return str or bytes, not " + type_name(content.ptr()));
    return content;
}

std::string name_of_stream(nb::handle stream) {
    const nb::object name = nb::getattr(stream, "name", nb::none());
    const auto text = PyUnicode_Check(name.ptr()) ? text_of(name.ptr()) : std::nullopt;
    return text ? std::string(*text) : "<stream>";
}

// Writes everything and rewinds. Returns 0 or errno.
int write_all(int descriptor, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return errno;
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::lseek(descriptor, 0, SEEK_SET) < 0 ? errno : 0;
}

} // namespace

std::string path_of(nb::handle path) {
    PyObject* bytes = nullptr;
    if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0)
        raise_current();
    const nb::object owned = nb::steal(bytes);
    return {PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes))};
}

void check_readable(const std::string& name, nb::handle path) {
    struct stat facts {};
    if (::stat(name.c_str(), &facts) != 0 || ::access(name.c_str(), R_OK) != 0)
        raise_system(errno, path);
    if (S_ISDIR(facts.st_mode))
        raise_system(EISDIR, path);
}

table_source::table_source(nb::handle from) {
    if (!nb::hasattr(from, "read") || nb::hasattr(from, "__fspath__")) {
        name_ = path_of(from);
        if (name_ != "-")
            check_readable(name_, from);
        return;
    }
    name_ = name_of_stream(from);
    const nb::object content = bytes_of_stream(from);
    const std::string_view bytes(PyBytes_AsString(content.ptr()),
                                 static_cast<std::size_t>(PyBytes_Size(content.ptr())));
    copy_ = ::memfd_create("fingerpost", MFD_CLOEXEC);
    const int error = copy_ < 0 ? errno : write_all(copy_, bytes);
    if (error != 0) {
        if (copy_ >= 0)
            ::close(copy_);
        errno = error;
        PyErr_SetFromErrno(PyExc_OSError);
        raise_current();
    }
}

table_source::~table_source() {
    if (copy_ >= 0)
        ::close(copy_);
}

expected<io::table_input, io::input_error> table_source::open(const io::read_options& how) const {
    if (copy_ < 0)
        return io::table_input::open(name_, how);
    const int again = ::fcntl(copy_, F_DUPFD_CLOEXEC, 0);
    if (again < 0)
        return unexpected{io::input_error{name_, 0, {}, std::string(message(errc::out_of_memory))}};
    return io::table_input::open(io::file_source::of_descriptor(again, name_),
                                 "/proc/self/fd/" + std::to_string(copy_), how);
}

} // namespace fingerpost::python
