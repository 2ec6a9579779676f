// Enters network namespaces with setns().
#include "system/network_namespace.hpp"

#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <sched.h>
#include <system_error>
#include <thread>

#include "system/unique_fd.hpp"

namespace fingerpost::system {

std::optional<failure> in_network_namespace(const std::string& name, const std::function<void()>& run) {
    if (name.empty()) {
        run();
        return std::nullopt;
    }
    const std::string path = name.find('/') == std::string::npos ? "/run/netns/" + name : name;
    const unique_fd namespace_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!namespace_file)
        return system_failure("open " + path, errno);
    std::optional<failure> fault;
    std::exception_ptr exception;
    try {
        std::thread([&] {
            if (::setns(namespace_file.get(), CLONE_NEWNET) != 0) {
                fault = system_failure("enter " + path, errno);
                return;
            }
            try {
                run();
            } catch (...) {
                exception = std::current_exception();
            }
        }).join();
    } catch (const std::system_error& error) {
        return failure{error.what()};
    }
    if (exception)
        std::rethrow_exception(exception);
    return fault;
}

} // namespace fingerpost::system
