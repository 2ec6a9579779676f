// Descriptors 0 to 2, which every program relies on and which its caller may have closed.
#pragma once

namespace fingerpost::system {

// Opens each closed descriptor on /dev/null. Otherwise the next file could get its number, and messages would
// be written to that file. Reading standard input and writing to standard output then fail, as with closed
// descriptors; messages are lost. Must be called before any file is opened. Ends the process with 1 if
// nothing can be opened.
void open_standard_descriptors() noexcept;

} // namespace fingerpost::system
