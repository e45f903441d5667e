// Whether the kernels of an image call a given function of the GPU's run time.
//
//   if (calls_function(module.image, module.bytes, "malloc")) refuse(..); // also true for `new` in a kernel
#pragma once

#include <cstddef>
#include <string>

namespace tasuki::remote {

// Searches all PTX of a fat binary, or an image that is PTX. Machine code cannot be searched. False if the image is
// invalid: loading it reports the error.
bool calls_function(const void* image, std::size_t bytes, const std::string& name);

} // namespace tasuki::remote
