#include "sms.h"

#include "state.hpp"

#include <tasuki/base/agree.hpp>
#include <tasuki/base/options.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/job/space_results.hpp>
#include <tasuki/space/space.hpp>

#include <pthread.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" {
int sms_rank = 0;
int sms_nprocs = 1;
}

namespace {

using tasuki::Error;

std::unique_ptr<tasuki::World> the_world;
std::unique_ptr<tasuki::Space> the_space;
std::string program; // its name
std::string record;  // where the result record goes; empty: none
bool table = false;  // what each array cost is printed
double begun = 0;
bool forked = false; // this process is a child of fork()

void expect_rank() {
  if (forked)
    throw Error("a child of fork() calls a function of SMS: a forked child is no rank",
                "call it in the process that called sms_startup");
}

using tasuki::sms::space;

// "mv.c:9", wherever the program was compiled.
std::string name_of(const char* name) {
  const char* const slash = std::strrchr(name, '/');
  return slash ? slash + 1 : name;
}

std::vector<long> list_of(const int* numbers, const char* what) {
  std::vector<long> list;
  while (*numbers != -1) {
    if (list.size() == tasuki::space::kMostAxes)
      throw Error(std::string("sms_mapalloc finds no -1 among the first ") +
                      std::to_string(tasuki::space::kMostAxes + 1) + " numbers of " + what,
                  "end dim and div by -1");
    list.push_back(*numbers++);
  }
  return list;
}

// What sms_mapalloc is asked for; `page`: where parts begin with SMS_ALIGN.
tasuki::space::Map map_of(const int* dim, const int* div, std::size_t bytes, int first, int nodes,
                          std::size_t page) {
  space(); // is there
  const std::vector<long> extents = list_of(dim, "dim");
  std::vector<long> parts = list_of(div, "div");
  while (parts.size() > extents.size() && parts.back() == 1)
    parts.pop_back(); // the paper shares one div among arrays
  const int from = first & ~SMS_ALIGN;
  if (nodes < 1) throw Error("sms_mapalloc is given " + std::to_string(nodes) + " nodes", "give 1 or more");
  if (from + nodes > sms_nprocs)
    throw Error("sms_mapalloc puts an array on nodes " + std::to_string(from) + " to " +
                    std::to_string(from + nodes - 1) + ", and there are " + std::to_string(sms_nprocs),
                "start more processes, or give fewer nodes");
  return {extents, parts, bytes, from, nodes, first & SMS_ALIGN ? page : 0};
}

void write_record(tasuki::World& world, const tasuki::Space& space) {
  tasuki::Record all;
  all.program = program;
  all.machine = tasuki::machine_info(world, world.part<tasuki::Device>());
  all.build = tasuki::build_info();
  all.options = tasuki::option_values(world.settings());
  all.run.seconds = tasuki::seconds() - begun;
  all.results = tasuki::space_results(space.costs());
  tasuki::write_record(world, record, all);
}

int section(void* at, const size_t* whole, const size_t* part, int dim, int bytes, int mode, bool keep) {
  if (dim < 1 || bytes < 1)
    throw Error(
        "a section has " + std::to_string(dim) + " axes and elements of " + std::to_string(bytes) + " bytes",
        "give 1 or more of both");
  const auto axes = static_cast<std::size_t>(dim);
  space().preload(at, {whole, whole + axes}, {part, part + axes}, static_cast<std::size_t>(bytes), mode != 0,
                  keep);
  return 0;
}

} // namespace

namespace tasuki::sms {

bool runs() { return the_space != nullptr; }
World& world() { return *the_world; }
Space& space() {
  expect_rank();
  if (!the_space)
    throw Error("a function of SMS is called outside of sms_startup and sms_shutdown",
                "call sms_startup first");
  return *the_space;
}

} // namespace tasuki::sms

extern "C" {

void sms_startup(int* argc, char*** argv) {
  expect_rank();
  if (the_space) throw Error("sms_startup is called twice", "call it once");
  tasuki::Settings settings = tasuki::parse_settings(*argc, *argv);
  tasuki::Settings ignored;
  tasuki::OptionParser options("sms", "");
  options.allow_others();
  tasuki::add_options(options, ignored);
  options.add("--space-record", record, "write what each array cost to this file, a result record (JSON)");
  options.parse(*argc, *argv);
  program = name_of((*argv)[0]);
  table = settings.space_report;
  settings.space_report = table || !record.empty();
  // The program's own words are left to it, in arguments that live as long as it does.
  static std::vector<std::string> words;
  static std::vector<char*> pointers;
  words = options.others();
  pointers = {(*argv)[0]};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  the_world = std::make_unique<tasuki::World>(*argc, *argv, std::move(settings));
  *argc = static_cast<int>(words.size()) + 1;
  *argv = pointers.data();
  the_space = std::make_unique<tasuki::Space>(*the_world);
  begun = tasuki::seconds();
  sms_rank = the_world->rank();
  sms_nprocs = the_world->size();
  tasuki::sms::make_units();
  // The child's exit() would end them with the other ranks.
  pthread_atfork(nullptr, nullptr, [] {
    forked = the_space != nullptr;
    static_cast<void>(the_space.release());
    static_cast<void>(the_world.release());
  });
}

void sms_shutdown(void) {
  tasuki::Space& all = space();
  if (!record.empty()) write_record(*the_world, all);
  const std::string report = the_world->settings().space_report ? all.report() : "";
  if (table) std::fputs(report.c_str(), stderr); // of rank 0
  the_space.reset();
  the_world.reset();
}

void* sms_alloc_named(const char* name, size_t bytes, size_t count, int node) {
  return space().allocate({{static_cast<long>(count)}, {1}, bytes, node, 1}, name_of(name));
}

void* sms_mapalloc_named(const char* name, const int dim[], const int div[], size_t bytes, int first,
                         int nodes) {
  return space().allocate(map_of(dim, div, bytes, first, nodes, the_world->settings().page), name_of(name));
}

void* sms_mapalloc_on_named(const char* name, const int dim[], const int div[], size_t bytes, int first,
                            int nodes, int where) {
  if (where == SMS_HOST) return sms_mapalloc_named(name, dim, div, bytes, first, nodes);
  if (where != SMS_GPU)
    throw Error("sms_mapalloc_on is given place " + std::to_string(where), "give SMS_HOST or SMS_GPU");
  return space().allocate(map_of(dim, div, bytes, first, nodes, tasuki::Space::kDeviceStep), name_of(name),
                          tasuki::Memory::device);
}

void sms_free(void* array) { space().free(array); }
int sms_owner(const void* element) { return space().owner(element); }

void sms_sync(void) { space().sync(); }
void sms_barrier(void) { space().sync(); }
void sms_sync_drop(void) { space().sync(true); }

int sms_preload_array(void* at, const size_t whole[], const size_t part[], int dim, int bytes, int mode) {
  return section(at, whole, part, dim, bytes, mode, false);
}
int sms_overload_array(void* at, const size_t whole[], const size_t part[], int dim, int bytes, int mode) {
  return section(at, whole, part, dim, bytes, mode, true);
}
int sms_preload(void* at, size_t bytes, int mode) {
  space().preload(at, bytes, mode != 0);
  return 0;
}
int sms_hold(void* at, size_t bytes, int mode) {
  space().hold(at, bytes, mode != 0);
  return 0;
}

void sms_copy(void* to, const void* from, size_t bytes) { space().copy(to, from, bytes); }
int sms_gpu(void) {
  const auto& device = space().world().part<tasuki::Device>();
  return device.cuda() ? device.ordinal() : -1;
}

void sms_lock(int number) { space().lock(static_cast<std::uint64_t>(number)); }
void sms_unlock(int number) { space().unlock(static_cast<std::uint64_t>(number)); }

unsigned long long sms_act(int kind, void* at, size_t bytes, unsigned long long value,
                           unsigned long long expected) {
  if (bytes != 4 && bytes != 8)
    throw Error("an atomic act is asked for on " + std::to_string(bytes) + " bytes",
                "use integers of 4 or 8 bytes");
  if (bytes == 4) { // as the type has it: -1 of an int is no number of 64 bits here
    auto* const number = static_cast<unsigned*>(at);
    const auto by = static_cast<unsigned>(value), if_there = static_cast<unsigned>(expected);
    return kind == 0   ? space().add(number, by)
           : kind == 1 ? space().exchange(number, by)
                       : space().compare(number, if_there, by);
  }
  auto* const number = static_cast<unsigned long*>(at);
  return kind == 0   ? space().add(number, static_cast<unsigned long>(value))
         : kind == 1 ? space().exchange(number, static_cast<unsigned long>(value))
                     : space().compare(number, static_cast<unsigned long>(expected),
                                       static_cast<unsigned long>(value));
}

sms_counts sms_count(void) {
  const tasuki::SpaceCounts c = space().counts();
  return {c.faults,      c.first_writes, c.pages_by_fault, c.pages_by_section,
          c.pages_ahead, c.bytes_in,     c.bytes_out,      c.messages};
}
}
