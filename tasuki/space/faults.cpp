#include <tasuki/space/faults.hpp>

#include <tasuki/base/error.hpp>

#include <utility>

namespace tasuki::space {

std::unique_ptr<Faults> make_faults(const Range& range, const std::string& way, Stray stray) {
  if (way == "signal" || way == "none") return make_faults_signal(range, std::move(stray), way == "signal");
  const std::string refusal = uffd_refusal();
  if (refusal.empty()) return make_faults_uffd(range, std::move(stray));
  if (way == "uffd")
    throw Error(
        "userfaultfd does not serve here: " + refusal,
        "set vm.unprivileged_userfaultfd or start the container with --security-opt seccomp=unconfined, "
        "or take --faults signal");
  return make_faults_signal(range, std::move(stray), true);
}

} // namespace tasuki::space
