// A sweep that is planned and never run: what it declares, without a cell function and without a kernel.
//
//   const Sweep flow = test::bare_sweep("flow", grid.inner(1), reads(u, star(1)), writes(v));
#pragma once

#include <tasuki/program/sweep.hpp>

#include <memory>
#include <string>

namespace tasuki::test {

class BareSweep final : public SweepCore {
public:
  template <int D, class... A>
  BareSweep(const char* name, const Region<D>& region, const A&... accesses)
      : SweepCore(name, region.grid, region.box, {detail::describe(accesses)...}) {}

  void launch(Stream&, const std::vector<Box>&, bool) const override { refuse(); }
  std::unique_ptr<HostTask> host_task(const std::vector<Box>&) const override { refuse(); }
  TiledLimits tiled_limits(TiledKind) const override { return {.reason = "it is never run"}; }
  void launch_tiled(TiledKind, Stream&, TiledLaunch, int) const override { refuse(); }

private:
  [[noreturn]] void refuse() const { throw Error("sweep '" + name() + "' was to be run", "plan it alone"); }
};

template <int D, class... A>
Sweep bare_sweep(const char* name, const Region<D>& region, const A&... accesses) {
  return std::make_shared<BareSweep>(name, region, accesses...);
}

} // namespace tasuki::test
