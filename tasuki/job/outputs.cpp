#include <tasuki/job/outputs.hpp>

#include <tasuki/base/on_all.hpp>
#include <tasuki/file/output.hpp>

#include <filesystem>
#include <set>

namespace tasuki::job {

namespace fs = std::filesystem;

Outputs::Outputs(World& world, const Named& written, const std::vector<std::string>& read) {
  on_root(world, [&] {
    const auto whole = [](const std::string& path) {
      return fs::absolute(output_file(path)).lexically_normal().string();
    };
    std::set<std::string> taken;
    for (const std::string& path : read)
      if (!path.empty()) taken.insert(whole(path));
    for (const auto& [option, path] : written) {
      if (path.empty()) continue;
      refuse_output(path, option);
      if (!taken.insert(whole(path)).second)
        throw Error(path + " is asked for twice", "give each file a name of its own");
      claims_.push_back(
          std::make_unique<Claim>(claim_name(output_file(path)), option + " " + path, "give another file"));
    }
  });
}

} // namespace tasuki::job
