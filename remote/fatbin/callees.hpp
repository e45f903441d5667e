// Whether kernels of an image call a function of the GPU's run time.
//
//   if (calls_function(module.image, module.bytes, "malloc")) refuse(..); // `new` in a kernel is such a call, too
#pragma once

#include <cstddef>
#include <string>

namespace tasuki::remote {

// Of a fat binary, all its PTX is looked at; an image may be PTX alone. Machine code does not say it. False where the image is
// broken: whoever loads it says so.
bool calls_function(const void* image, std::size_t bytes, const std::string& name);

} // namespace tasuki::remote
