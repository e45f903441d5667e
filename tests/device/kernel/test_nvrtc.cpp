// The headers that a kernel is compiled from, read by NVRTC: it has no standard library, so neither have they. Compiled
// to machine code, which needs no GPU.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

// Compiles a source for an H100 and gives back the code of the kernels named, or fails with what the compiler said.
std::size_t compiled(const std::string& source, const std::vector<std::string>& kernels) {
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, source.c_str(), "sweep.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    return 0;
  for (const std::string& name : kernels) nvrtcAddNameExpression(program, name.c_str());
  const char* const options[] = {"-std=c++20", "-arch=sm_90", "-fmad=false", "-I" TASUKI_SOURCES};
  const nvrtcResult result = nvrtcCompileProgram(program, 4, options);
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  nvrtcGetProgramLog(program, log.data());
  EXPECT_EQ(result, NVRTC_SUCCESS) << log;
  size = 0;
  if (result == NVRTC_SUCCESS) nvrtcGetCUBINSize(program, &size);
  for (const std::string& name : kernels) {
    const char* lowered = nullptr;
    EXPECT_EQ(nvrtcGetLoweredName(program, name.c_str(), &lowered), NVRTC_SUCCESS) << name;
  }
  nvrtcDestroyProgram(&program);
  return size;
}

const std::string kMean = R"(
struct Mean {
  TS_CELL void operator()(auto c, auto u, auto v) const {
    v(c) = 0.25f * (u(c, -1, 0) + u(c, 1, 0) + u(c, 0, -1) + u(c, 0, 1));
  }
};
)";

TEST(Nvrtc, CompilesASweep) {
  EXPECT_GT(compiled("#include <tasuki/device/kernel/walk_cuda.hpp>\n" + kMean,
                     {"tasuki::detail::plain_kernel<2, 8, Mean, tasuki::In<float>, tasuki::Out<float>>"}),
            0u);
}

TEST(Nvrtc, CompilesAWalkInColumns) {
  EXPECT_GT(compiled("#include <tasuki/device/kernel/ring_cuda.hpp>\n" + kMean,
                     {"tasuki::detail::ring_kernel<2, Mean, tasuki::BoundView<tasuki::In<float>, 4, true>, "
                      "tasuki::BoundView<tasuki::Out<float>, 0>>"}),
            0u);
}

// Each of them by itself. Those of reductions have standard headers still.
TEST(Nvrtc, ReadsEveryHeaderOfKernels) {
  const std::filesystem::path room = std::filesystem::path(TASUKI_SOURCES) / "tasuki/device/kernel";
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(room)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("tally") || name.starts_with("exact")) continue;
    EXPECT_GT(
        compiled("#include <tasuki/device/kernel/" + name + ">\nextern \"C\" __global__ void k() {}", {"k"}),
        0u)
        << name;
    ++read;
  }
  EXPECT_GE(read, 6);
}

} // namespace
