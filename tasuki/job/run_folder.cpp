#include <tasuki/job/run_folder.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/output.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/file/seal.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace tasuki::job {

namespace fs = std::filesystem;

RunFolder::RunFolder(World& world, const std::string& program, const std::string& path,
                     const std::string& begun, bool resume)
    : world_(world), path_(path) {
  on_root(world, [&] {
    if (!resume) {
      std::error_code fault;
      fs::create_directories(path_, fault);
      if (fault || !fs::is_directory(path_))
        throw Error(fmt::format("cannot make the folder {} ({})", path_, fault.message()),
                    "choose another --folder");
    } else if (!fs::is_regular_file(job())) {
      throw Error(fmt::format("{} holds no run of {}", path_, program), "name the folder of one");
    }
    if (access(path_.c_str(), W_OK) != 0)
      throw Error("the folder " + path_ + " is not writable", "choose another --folder");
    // The claim comes before the checks, so that no other run changes the folder in between.
    claim_ = std::make_unique<Claim>(claim_name(at("run")), "the folder " + path_, "choose another --folder");
    if (!resume && fs::exists(job()) && fs::exists(at(begun))) // without both files the run never began
      throw Error(path_ + " holds a run already", "go on with it by --resume, or choose another --folder");
    for (const std::string& file : {job(), at(begun), results(), record()}) refuse_output(file);
  });
}

std::string RunFolder::read(const std::string& name) const {
  std::string text;
  on_root(world_, [&] {
    std::ifstream file(at(name));
    if (!file.good()) throw Error("there is no file " + at(name), "name the folder of a whole run");
    std::ostringstream all;
    all << file.rdbuf();
    text = all.str();
    if (!check_seal(at(name), text))
      std::fprintf(stderr, "note: %s carries no checksum, as of an older tasuki: it is read as it is\n",
                   at(name).c_str());
  });
  share(world_, text);
  return text;
}

void RunFolder::write(const std::string& name, const std::string& text) {
  on_root(world_, [&] { replace_file(at(name), sealed(text)); });
}

bool RunFolder::has(const std::string& name) const {
  return of_root(world_, world_.rank() == 0 && fs::exists(at(name)) ? 1L : 0L) != 0;
}

void RunFolder::remove(const std::string& name) {
  on_root(world_, [&] {
    std::error_code fault;
    fs::remove(at(name), fault);
    if (fault)
      throw Error(fmt::format("cannot remove {} ({})", at(name), fault.message()), "look at the folder");
  });
}

std::string default_folder(World& world, const std::string& program) {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::tm parts{};
  localtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  std::string name = fmt::format("results/{}-{}", program, text);
  share(world, name);
  return name;
}

} // namespace tasuki::job
