// Translated programs: their start and end, the arrays of their units, and statements that one process does.
#include "shared.h"
#include "state.hpp"

#include <tasuki/base/gather.hpp>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using tasuki::Error;

sms_unit* first_unit = nullptr;

// exit(0) somewhere in a program ends it as a return from main does.
void end_at_exit(int status, void*) {
  if (status == 0 && tasuki::sms::runs()) sms_shutdown();
}

template <class T>
T act(int kind, void* at, T value, T expected) {
  return static_cast<T>(sms_act(kind, at, sizeof(T), static_cast<unsigned long long>(value),
                                static_cast<unsigned long long>(expected)));
}

} // namespace

void tasuki::sms::make_units() {
  for (sms_unit* unit = first_unit; unit; unit = unit->next) unit->make();
}

extern "C" {

void sms_unit_add(sms_unit* unit) {
  sms_unit** last = &first_unit;
  while (*last) last = &(*last)->next;
  unit->next = nullptr;
  *last = unit;
}

void* sms_make(const char* where, const char* name, int axes, const long extent[], const long parts[],
               unsigned long bytes, long first, long nodes) {
  const tasuki::World& world = tasuki::sms::world();
  if (nodes < 1 || first < 0 || first + nodes > world.size())
    throw Error(std::string(where) + ": " + name + " is put on processes " + std::to_string(first) + " to " +
                    std::to_string(first + nodes - 1) + ", and there are " + std::to_string(world.size()),
                "start more processes, or give others");
  std::vector<long> extents(extent, extent + axes), cuts(parts, parts + axes);
  if (axes == 0) extents = cuts = {1};
  for (std::size_t a = 0; a < cuts.size(); a++)
    if (cuts[a] < 1 || cuts[a] > extents[a])
      throw Error(std::string(where) + ": " + std::to_string(extents[a]) + " elements of " + name +
                      " are cut into " + std::to_string(cuts[a]) + " parts",
                  "cut into at least one part, and none that is empty");
  return tasuki::sms::space().allocate(
      {extents, cuts, bytes, static_cast<int>(first), static_cast<int>(nodes)}, name);
}

int sms_main(int argc, char** argv, int (*own)(int, char**, char**)) {
  sms_startup(&argc, &argv);
  on_exit(end_at_exit, nullptr); // behind what is made so far, so before it is unmade
  const int status = own(argc, argv, environ);
  if (tasuki::sms::runs()) sms_shutdown();
  return status;
}

int sms_act_int(int kind, void* at, int value, int expected) { return act(kind, at, value, expected); }
unsigned sms_act_uint(int kind, void* at, unsigned value, unsigned expected) {
  return act(kind, at, value, expected);
}
long sms_act_long(int kind, void* at, long value, long expected) { return act(kind, at, value, expected); }
unsigned long sms_act_ulong(int kind, void* at, unsigned long value, unsigned long expected) {
  return act(kind, at, value, expected);
}

void sms_collect(const void* mine, unsigned long bytes, void* all) {
  const char* const from = static_cast<const char*>(mine);
  const std::vector<char> rows =
      tasuki::gather_rows(tasuki::sms::world(), std::vector<char>(from, from + bytes));
  std::memcpy(all, rows.data(), rows.size());
}

int sms_single_begin(const char* where, int settled) {
  if (!tasuki::sms::runs())
    throw Error(std::string(where) + ": nothing has begun the program",
                "compile the file that has main by tasuki cc together with this one");
  if (!settled) sms_sync();
  return sms_rank == 0;
}

void sms_single_give(void* variable, unsigned long bytes) {
  char* const at = static_cast<char*>(variable);
  std::string text;
  if (sms_rank == 0) text.assign(at, bytes);
  tasuki::share(tasuki::sms::world(), text);
  std::memcpy(at, text.data(), bytes);
}

void sms_single_end(void) { sms_sync(); }
}
