// A program of a user's that prints, and opens a file of its own: standard_output.py looks at what becomes of both.
#include <tasuki/base/world.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const tasuki::World world(argc, argv);
  if (world.rank() != 0 || argc < 2) return 0;
  std::FILE* file = std::fopen(argv[1], "w");
  if (!file) return 3;
  std::fputs("kept\n", file);
  std::puts("shown");
  return std::fclose(file) == 0 ? 0 : 4;
}
