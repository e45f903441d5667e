// The shapes of three dimensions by Tasuki: a source of their own, since each is a few kernels.
#include <bench/shapes_tasuki.hpp>

namespace tasuki::bench {

void register_deep_shapes() { for_deep_shapes(AddShape{}); }

} // namespace tasuki::bench
