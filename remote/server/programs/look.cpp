// tasuki-gpus-look: what kernels need, said without running them. Standard input is what a program has in its section .nv_fatbin.
//
//   objcopy -O binary --only-section=.nv_fatbin many /dev/stdout | tasuki-gpus-look
//   {"binaries":[{"lacks":"","malloc":false}]}
#include <remote/fatbin/callees.hpp>
#include <remote/fatbin/image.hpp>
#include <remote/ptx/program.hpp>

#include <tasuki/base/error.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

using namespace tasuki::remote;

constexpr std::uint32_t magic = 0xBA55ED50, generation = 90; // of the interpreter

std::string all_of(std::FILE* file) {
  std::string all;
  char part[1 << 16];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, file)) > 0;) all.append(part, got);
  return all;
}

// Why a server without a GPU cannot run the kernels of an image; "": it can, or the image says nothing of it.
std::string lacks(View image) {
  try {
    const std::string text = best_ptx(image, generation);
    if (text.empty()) return "";
    std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
    const ptx::Program program(text, [&](std::uint64_t bytes) {
      memory.emplace_back(std::calloc(bytes + 256, 1), &std::free); // pages that nobody touches cost nothing
      if (!memory.back()) throw std::bad_alloc();
      return (reinterpret_cast<std::uint64_t>(memory.back().get()) + 255) / 256 * 256;
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const bool asked = !std::strcmp(argv[1], "--help");
    std::fputs(
        "tasuki-gpus-look [--help] < FILE\n"
        "What the kernels of a section .nv_fatbin need, as JSON, for tasuki gpus check.\n",
        asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  const std::string all = all_of(stdin);
  const auto* bytes = reinterpret_cast<const unsigned char*>(all.data());
  nlohmann::json binaries = nlohmann::json::array();
  for (std::size_t at = 0; at + 16 <= all.size();) {
    std::uint32_t first;
    std::uint16_t head;
    std::uint64_t size;
    std::memcpy(&first, bytes + at, 4);
    std::memcpy(&head, bytes + at + 6, 2);
    std::memcpy(&size, bytes + at + 8, 8);
    if (first != magic) {
      at += 8; // sections are filled up between binaries
      continue;
    }
    const std::size_t left = all.size() - at;
    const std::size_t whole =
        head < left && size < left - head ? head + static_cast<std::size_t>(size) : left;
    const View image{bytes + at, whole};
    binaries.push_back(
        {{"malloc", calls_function(image.data, image.size, "malloc")}, {"lacks", lacks(image)}});
    at += whole < 16 ? 16 : whole;
  }
  const nlohmann::json said{{"binaries", binaries}};
  std::printf("%s\n", said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}
