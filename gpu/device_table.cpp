// Versions of a table: uploads, lookups, and when an old version is freed.
#include "gpu/device_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fingerpost/image/image_parts.hpp"
#include "fingerpost/image/image_view.hpp"
#include "gpu/entries.hpp"

namespace fingerpost::gpu {

lookups_in_flight::~lookups_in_flight() {
    for (const event each : events_) {
        wait_for_event(each);
        destroy_event(each);
    }
}
event lookups_in_flight::add() {
    forget_done();
    events_.reserve(events_.size() + 1);
    events_.push_back(create_event());
    return events_.back();
}
bool lookups_in_flight::is_empty() noexcept {
    forget_done();
    return events_.empty();
}
void lookups_in_flight::forget_done() noexcept {
    std::erase_if(events_, [](event each) {
        const bool done = is_done(each);
        if (done)
            destroy_event(each);
        return done;
    });
}

version::version(std::span<const std::byte> image, version* before, version* standby) {
    using namespace fingerpost::detail;
    if (standby != nullptr)
        arrays_.swap(standby->arrays_);
    // Lookups in other streams neither wait for the copies nor delay them.
    const own_stream uploads;
    array_upload place(arrays_, before == nullptr ? nullptr : &before->arrays_, uploads.get());
    for (const image_part& part : {first_part(image), second_part(image)})
        if (address_bits_of(part.bytes) == ipv6_address::bits)
            copy<ipv6_address>(part.bytes, place, ipv6_);
        else if (!part.bytes.empty() || part.offset == 0)
            copy<ipv4_address>(part.bytes, place, ipv4_);
    // The copies must have ended before a lookup in another stream starts.
    place.finish();
    uploaded_bytes_ = place.bytes();
    for (const uploaded_array& each : arrays_)
        bytes_ += each.capacity;
}

template <class A>
void version::copy(std::span<const std::byte> image, array_upload& place, family& to) {
    const auto opened = image_view<A>::make(image);
    if (!opened)
        throw failure(FINGERPOST_CUDA_IMAGE, to_string(opened.error()));
    const std::string_view name = opened->scheme().facts.name;
    const auto list = entries<A>();
    const auto entry = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e.name == name; });
    if (entry == list.end())
        throw failure(FINGERPOST_CUDA_UNSUPPORTED,
                      "there is no kernel for images of the scheme " + std::string(name));
    const copied_fib copied = entry->copy(opened->fib(), place);
    to = {{entry->kernels[copied.form]}, copied.object};
    if (copied.form == 0)
        std::copy(std::begin(entry->own), std::end(entry->own), to.kernels.begin() + 1);
}

bool version::has_kernel(unsigned number) const noexcept {
    return ipv4_.kernels[number].name != nullptr || ipv6_.kernels[number].name != nullptr;
}
void version::look_up(address_form form, const void* addresses, next_hop* out, std::size_t count, stream in,
                      unsigned kernel) {
    family& with = form == address_form::ipv4 ? ipv4_ : ipv6_;
    if (count == 0)
        return;
    // An update may remove a family from a table, so this is not an error.
    if (with.fib == nullptr)
        return fill_with_none(out, count, in);
    const event end = in_flight_.add();
    address_array from{addresses, form == address_form::ipv6_halves ? 1u : 0u};
    void* arguments[] = {&with.fib, &from, &out, &count};
    launch(with.kernels[with.kernels[kernel].name != nullptr ? kernel : 0], arguments, count, in);
    record(end, in);
}

table::table(std::span<const std::byte> image, int device) : device_(device) {
    const current_device use(device_);
    current_ = std::make_shared<version>(image, nullptr, nullptr);
}
table::~table() try {
    const current_device use(device_);
    old_.clear();
    standby_.reset();
    current_.reset();
    lanes_.release();
} catch (...) {
    // The device is lost, and its memory with it.
}

void table::update(std::span<const std::byte> image) {
    const current_device use(device_);
    const std::lock_guard turn(update_lock_);
    std::shared_ptr<version> standby;
    {
        const std::lock_guard guard(lock_);
        free_idle();
        standby.swap(standby_);
        old_.reserve(old_.size() + 1);
    }
    auto next = std::make_shared<version>(image, current_.get(), standby.get());
    const std::lock_guard guard(lock_);
    old_.push_back(std::exchange(current_, std::move(next)));
    free_idle();
}
bool table::choose_kernel(unsigned number) noexcept {
    const std::lock_guard guard(lock_);
    if (number != 0 && !current_->has_kernel(number))
        return false;
    kernel_ = number;
    return true;
}
// Keeps one idle version.
void table::free_idle() noexcept {
    std::erase_if(old_, [&](const auto& each) {
        const bool is_idle = each.use_count() == 1 && each->is_idle();
        if (is_idle && standby_ == nullptr)
            standby_ = each;
        return is_idle;
    });
}

void table::look_up(address_form form, const void* addresses, next_hop* out, std::size_t count, stream in) {
    const current_device use(device_);
    const std::lock_guard guard(lock_);
    current_->look_up(form, addresses, out, count, in, kernel_);
    free_idle();
}
// All chunks use the version that is current at the call.
void table::look_up_host(address_form form, const void* addresses, next_hop* out, std::size_t count) {
    const current_device use(device_);
    const std::lock_guard turn(host_lock_);
    std::shared_ptr<version> from;
    {
        const std::lock_guard guard(lock_);
        from = current_;
    }
    lanes_.run(addresses, form == address_form::ipv4 ? 4 : 16, out, count,
               [&](const void* in, next_hop* to, std::size_t part, stream with) {
                   const std::lock_guard guard(lock_);
                   from->look_up(form, in, to, part, with, kernel_);
               });
}
std::size_t table::memory_bytes() const noexcept {
    const std::lock_guard guard(lock_);
    std::size_t sum = current_->bytes() + (standby_ == nullptr ? 0 : standby_->bytes());
    for (const auto& each : old_)
        sum += each->bytes();
    return sum;
}
std::size_t table::uploaded_bytes() const noexcept {
    const std::lock_guard guard(lock_);
    return current_->uploaded_bytes();
}

} // namespace fingerpost::gpu
