// The shapes of one and two dimensions by Tasuki: a source of their own, since each is a few kernels.
#include <bench/shapes_tasuki.hpp>

namespace tasuki::bench {

void register_flat_shapes() { for_flat_shapes(AddShape{}); }

} // namespace tasuki::bench
