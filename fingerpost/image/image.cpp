// Images of the two address widths that the product supports.
#include "fingerpost/image/image.inl.hpp"

namespace fingerpost {

template class image_routes<ipv4_address>;
template class image_routes<ipv6_address>;
template class image_view<ipv4_address>;
template class image_view<ipv6_address>;
template class image<ipv4_address>;
template class image<ipv6_address>;

} // namespace fingerpost
