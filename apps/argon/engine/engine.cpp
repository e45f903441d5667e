#include <apps/argon/engine/engine.hpp>

#include <apps/argon/physics/all_pairs.hpp>
#include <apps/argon/physics/interval.hpp>
#include <apps/argon/physics/neighbours.hpp>

namespace tasuki::argon {
namespace {

template <template <class> class Near, int Slots>
class EngineOf : public Engine {
public:
  EngineOf(Device& device, const GroupShape& shape, long most) : groups_(device, shape, most) {}
  void advance(const Batch& batch, const Laws& laws, long count) override {
    groups_.launch("interval", count, Interval<Near>{batch, laws});
  }

private:
  Groups<Interval<Near>, Slots> groups_;
};

} // namespace

std::unique_ptr<Engine> make_engine(Device& device, const System& system, const Dynamics& dynamics,
                                    long most) {
  const int atoms = static_cast<int>(system.atoms());
  const EngineChoice choice = choose_engine(system, dynamics, device.cuda());
  if (choice.lists) {
    if (atoms <= 128) return std::make_unique<EngineOf<Lists, 1>>(device, choice.shape, most);
    return std::make_unique<EngineOf<Lists, 2>>(device, choice.shape, most); // up to 2048
  }
  if (atoms <= 32) return std::make_unique<EngineOf<AllPairs, 1>>(device, choice.shape, most);
  return std::make_unique<EngineOf<AllPairs, 4>>(device, choice.shape, most); // up to 512 atoms on a GPU
}

} // namespace tasuki::argon
