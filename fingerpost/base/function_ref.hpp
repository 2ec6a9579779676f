// A reference to a callable, for virtual functions that take a visitor. C++20 has no std::function_ref. This
// is the subset that fingerpost uses.
#pragma once

#include <type_traits>
#include <utility>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

template <class Signature>
class function_ref;

// The callable must outlive the reference.
template <class R, class... Args>
class function_ref<R(Args...)> {
  public:
    template <class F>
        requires(std::is_invocable_r_v<R, F&, Args...> &&
                 !std::is_same_v<std::remove_cvref_t<F>, function_ref>)
    function_ref(F&& called) noexcept
        : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(called)))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
          }) {}

    R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

  private:
    void* object_;
    R (*call_)(void*, Args...);
};

} // namespace fingerpost
