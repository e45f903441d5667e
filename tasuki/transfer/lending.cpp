#include <tasuki/transfer/lending.hpp>

#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/errand.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace tasuki {
namespace {

// A part of the world that is destroyed before the loans and the courier, since its constructor uses both.
class Posts {
public:
  explicit Posts(World& world) : loans_(world.part<Lending>().loans()) {
    Courier::serving(world.part<Device>());
  }
  ~Posts() {
    while (!list_.empty()) list_.pop_back();
  }
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  Post& of(const Ranks& ranks) {
    const auto found = std::find_if(list_.begin(), list_.end(),
                                    [&](const auto& post) { return post->ranks().comm() == ranks.comm(); });
    if (found != list_.end()) return **found;
    const auto serve = [this](const char* request, std::size_t size) {
      return answer(loans_, request, size);
    };
    return *list_.emplace_back(std::make_unique<Post>(ranks, kRequestHead + kMost, serve));
  }

private:
  Loans& loans_;
  std::vector<std::unique_ptr<Post>> list_;
};

} // namespace

std::uint64_t Lending::number(const Ranks& ranks) {
  const std::uint64_t number = reduce_max(ranks, next_);
  next_ = number + 1;
  return number;
}

Post& post_of(const Ranks& ranks) { return ranks.world().part<Posts>().of(ranks); }

} // namespace tasuki
