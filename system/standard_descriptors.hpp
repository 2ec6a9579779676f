// Descriptors 0 to 2, which every program takes for granted and which its caller may have closed.
#pragma once

namespace fingerpost::system {

// To be called before anything else opens a file, which would get the number of a closed one: messages would
// land in it. A closed one is opened on /dev/null. Reading from the standard input then fails, and so does
// writing to the standard output, as they do where they are closed; messages vanish. Ends the process with 1
// when there is nothing to open.
void open_standard_descriptors() noexcept;

} // namespace fingerpost::system
