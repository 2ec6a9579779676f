// Descriptors 0 to 2, which every program relies on and which its caller may have closed.
#pragma once

namespace fingerpost::system {

// Call it before anything opens a file: the file could get the number of a closed descriptor, and messages
// would be written into it. A closed descriptor is opened on /dev/null. Reading from the standard input then
// fails, and so does writing to the standard output, as with closed descriptors; messages vanish. Ends the
// process with 1 if nothing can be opened.
void open_standard_descriptors() noexcept;

} // namespace fingerpost::system
