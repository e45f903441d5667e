#include "run_time.hpp"

#include "checking.hpp"
#include "mail.hpp"
#include "owners.hpp"
#include "sent.hpp"
#include "translated.h"
#include "xmp.h"

#include <tasuki/base/reduce.hpp>
#include <tasuki/base/signals.hpp>
#include <tasuki/base/source_error.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/route/tuning.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include <unistd.h>

namespace tasuki::xmp {
namespace {

RunTime* running = nullptr;

bool started_here = false; // MPI; a program that also does so by itself, and finalises it, finds that done

// MPI is initialised once per process and finalised at its end, since several programs may run in it.
void end_mpi(int status, void*) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended) return;
  if (running && status != 0) { // a call of exit() in the program: other ranks may be waiting
    std::fprintf(stderr, "tasuki: rank %d has ended the program with status %d\n", running->world().rank(),
                 status);
    std::fflush(nullptr);
    abort_ranks(status);
  }
  if (!running) PMPI_Finalize();
}

MPI_Comm started_mpi() {
  int ready = 0;
  MPI_Initialized(&ready);
  if (!ready) {
    int provided = 0;
    PMPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    started_here = true;
    on_exit(end_mpi, nullptr);
  }
  return MPI_COMM_WORLD;
}

tsk_unit* first_unit = nullptr;

std::vector<tsk_unit*> units_of(const char* program) {
  std::vector<tsk_unit*> units;
  for (tsk_unit* unit = first_unit; unit; unit = unit->next)
    if (std::strcmp(unit->program ? unit->program : "", program ? program : "") == 0) units.push_back(unit);
  return units;
}

// Loops on the host cannot access GPU memory, so a GPU is the default only if all regions are kernels.
void choose_device(Settings& settings, const char* program) {
  int regions = 0;
  for (const tsk_unit* unit : units_of(program)) regions |= unit->regions;
  if (settings.device == "auto" && regions != TSK_KERNELS) settings.device = "host";
  if (settings.device == "cuda" && regions == TSK_LOOPS)
    throw Error("--device cuda: the program was compiled for the host alone",
                "compile it with `tasuki cc --device cuda`, or start it with --device host");
}

Settings settings_of(const char* name, const char* program) {
  std::string word = name && *name ? name : "program";
  char* arguments[] = {word.data(), nullptr};
  Settings settings = parse_settings(1, arguments);
  choose_device(settings, program);
  return settings;
}

bool wants_apart() { return variable_word("TASUKI_ACC").value_or("shared") == "apart"; }

} // namespace

Executing::Executing(World& world, std::vector<int> members) : world_(world), members_(std::move(members)) {
  std::sort(members_.begin(), members_.end());
}

const Ranks& Executing::ranks() {
  if (!ranks_) {
    if (static_cast<int>(members_.size()) == world_.size())
      ranks_.emplace(world_);
    else
      ranks_.emplace(subset(world_, members_));
  }
  return *ranks_;
}

bool Executing::has(int rank) const { return std::binary_search(members_.begin(), members_.end(), rank); }

RunTime::RunTime(const char* name, const char* program) : RunTime(name, program, started_mpi()) {}

RunTime::RunTime(const char* name, const char* program, MPI_Comm comm)
    : world_(0, nullptr, settings_of(name, program), comm) {
  Device& own = world_.part<Device>();
  host_ = own.cuda() ? &Device::host(world_) : &own;
  accelerator_ = own.cuda() ? &own : wants_apart() ? &Device::host(world_) : &own;
  std::vector<int> all(static_cast<std::size_t>(world_.size()));
  std::iota(all.begin(), all.end(), 0);
  enter(std::move(all));
  checking_ = &part<Checking>();
  running = this;
  part<Mail>();   // created collectively
  tuning(world_); // as are the constants, by which collectives of some ranks choose their algorithm
}

RunTime::~RunTime() {
  sets_.clear();
  running = nullptr;
}

RunTime& RunTime::now() {
  if (!running)
    throw Error("no program of directives runs", "start it by its main, which `tasuki cc` translates");
  return *running;
}

bool RunTime::exact_sums() const { return world_.settings().sums == "exact"; }

bool RunTime::runs() { return running != nullptr; }

namespace {
[[noreturn]] void say(const char* where, const char* what) {
  throw SourceError(where && *where ? where : "program", what);
}
} // namespace

void fail(const char* where, const char* what) noexcept {
  say(where, what);
} // not caught by the program: World ends the run

} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

namespace {
void make_units(const char* program) {
  for (tsk_unit* unit : units_of(program))
    if (unit->make) unit->make();
}

void end_units(const char* program) {
  std::fflush(nullptr);
  at("", [] { come_together("", "the end of the program", Ranks(RunTime::now().world())); });
  barrier(RunTime::now().world(), "the other ranks to end the program");
  RunTime::now().part<Sent>().tell();
  const std::vector<tsk_unit*> units = units_of(program);
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
    if ((*unit)->end) (*unit)->end();
}

std::unique_ptr<RunTime> asked_for; // for a program with its own main and MPI

// The run time that the main of a translated program starts; it ends on return or by exit(0).
struct Started {
  std::unique_ptr<RunTime> run_time;
  const char* program = nullptr;
} started;

void end_started() {
  const std::unique_ptr<RunTime> run_time = std::move(started.run_time);
  if (run_time) end_units(started.program);
}

// exit(0) anywhere in a program ends it like a return from main. The variables of main still exist.
void end_at_exit(int status, void*) {
  if (status == 0) end_started();
}

void begin(MPI_Comm comm) {
  if (RunTime::runs()) return; // the main of a translated program has already started it
  at("", [&] {
    started_mpi();
    asked_for = std::make_unique<RunTime>("", "", comm);
    make_units("");
  });
}

void end() {
  if (!asked_for) return;
  at("", [] { end_units(""); });
  asked_for.reset();
}
} // namespace

extern "C" {

void xmp_init_mpi(int*, char***) { begin(MPI_COMM_WORLD); }
void xmp_finalize_mpi(void) { end(); }
void xmp_init(MPI_Comm comm) { begin(comm); }
void xmp_finalize(void) { end(); }
void xmp_exit(int status) {
  std::fflush(nullptr);
  if (status == 0) end();
  std::exit(status);
}

// MPI's profiling interface gives these names to whoever defines them: a program of MPI and OpenACC starts MPI by itself,
// when the main of a translated program has started it already.
int MPI_Init(int* argc, char*** argv) { return started_here ? MPI_SUCCESS : PMPI_Init(argc, argv); }
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return started_here ? MPI_Query_thread(provided) : PMPI_Init_thread(argc, argv, required, provided);
}
int MPI_Finalize(void) { return started_here ? MPI_SUCCESS : PMPI_Finalize(); }

void tsk_unit_add(tsk_unit* unit) {
  tsk_unit** last = &first_unit;
  while (*last) last = &(*last)->next;
  unit->next = nullptr;
  *last = unit;
}

int tsk_main(const char* program, int argc, char** argv, int (*own)(int, char**, char**)) {
  try {
    auto run_time = std::make_unique<RunTime>(argc > 0 ? argv[0] : program, program);
    make_units(program);
    started = {std::move(run_time), program};
    on_exit(end_at_exit, nullptr); // after the start, so it runs before earlier objects are destroyed
    const int status = owners_asked_for() ? 0 : own(argc, argv, environ);
    end_started();
    return status;
  } catch (const Error& fault) { // an error before the world exists
    std::fprintf(stderr, "tasuki: %s\n", fault.what());
    std::exit(1);
  }
}
}
