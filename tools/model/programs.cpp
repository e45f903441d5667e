#include <apps/diffusion/diffusion.hpp>
#include <apps/himeno/himeno.hpp>
#include <apps/laplace/laplace.hpp>
#include <tools/model/programs.hpp>

#include <algorithm>

namespace tasuki::model {
namespace {

constexpr const char* kNormHelp = "the sum over all devices in every step, looked at a step late";
constexpr const char* kLookHelp = "the sum over all devices in every N-th step, looked at at once";

// The sum of a run that looks at it: how often, and when.
struct Look {
  bool norm = false; // in every step, a step late
  long every = 0;    // at once

  void add_options(OptionParser& line, const std::string& excluded) {
    line.add("--norm", norm, kNormHelp).excludes(excluded);
    line.add("--look-every", every, kLookHelp, {1, 1L << 40}).excludes("--norm").excludes(excluded);
  }
  // How often the sum is computed, where the program tells it every `told` steps unless it is looked at; 0: never.
  long period(long told) const { return norm ? 1 : every ? every : told; }
  Description of(Description program, long told) const {
    const bool looks = norm || every;
    program.looks = {.every = period(told), .late = norm || !looks, .told = !looks && told};
    return program;
  }
};

constexpr long kSmall = 8; // cells along an axis of a grid that is made only to be described

class LaplaceSubject final : public Subject {
public:
  LaplaceSubject() : Subject("laplace", "2-D Laplace equation, five-point Jacobi") {}

  void add_options(OptionParser& line) override {
    const auto resize = [this](const std::vector<long>& n) { problem_.nx = n[0], problem_.ny = n[1]; };
    job::add_size(line, laplace::kSizes, resize, "1024x1024");
    line.add("--nx", problem_.nx, "cells along x", {3, 1L << 30}).excludes("--size");
    line.add("--ny", problem_.ny, "cells along y", {3, 1L << 30}).excludes("--size");
    line.choice("--precision", twice_, {"float", "double"}, "precision of the cells");
    line.choice("--boundary", problem_.boundary, {"hot-top", "linear", "nvidia"}, "as in tasuki-laplace");
    line.add("--residual-every", residual_every_, "compute the residual after every N steps", {1, 1L << 40});
    look_.add_options(line, "--residual-every");
  }

  Description description(World& world) const override {
    return twice_ ? describe_as<double>(world) : describe_as<float>(world);
  }

private:
  template <class T>
  Description describe_as(World& world) const {
    laplace::Problem small = problem_;
    small.nx = small.ny = kSmall;
    const laplace::Laplace<T> laplace(world, small);
    const Program steps(laplace.step(look_.period(residual_every_)));
    return look_.of(describe(steps).resized({problem_.nx, problem_.rows()}), residual_every_);
  }

  laplace::Problem problem_;
  bool twice_ = false;
  long residual_every_ = 0;
  Look look_;
};

class HimenoSubject final : public Subject {
public:
  HimenoSubject() : Subject("himeno", "the RIKEN Himeno benchmark") {}

  void add_options(OptionParser& line) override {
    const auto resize = [this](const std::vector<long>& n) { size_ = job::size_text(n, himeno::kSizes); };
    job::add_size(line, himeno::kSizes, resize, size_);
    line.choice("--gosa", gosa_, {"every", "last"},
                "sum the residual in every iteration, or in the last one only");
    look_.add_options(line, "--gosa");
  }

  Description description(World& world) const override {
    const himeno::Problem asked = himeno::Problem::of(size_);
    const himeno::Himeno himeno(world, {kSmall, kSmall, kSmall});
    const long period = gosa_ == Gosa::every ? 1 : kLong;
    const Program steps(himeno.step(look_.period(period)));
    return look_.of(describe(steps).resized({asked.kmax, asked.jmax, asked.imax}), period);
  }

private:
  enum class Gosa { every, last };
  static constexpr long kLong = 1L << 40; // steps: never, as far as the mean goes
  std::string size_ = "M";
  Gosa gosa_ = Gosa::every;
  Look look_;
};

class DiffusionSubject final : public Subject {
public:
  DiffusionSubject() : Subject("diffusion", "3-D diffusion, 7 or 27 points, periodic") {}

  void add_options(OptionParser& line) override {
    const auto resize = [this](const std::vector<long>& n) {
      std::copy(n.begin(), n.end(), extents_.begin());
    };
    job::add_size(line, diffusion::kSizes, resize, "128x128x128");
    line.choice("--points", points_, {"7", "27"}, "points of the stencil");
    line.choice("--precision", twice_, {"float", "double"}, "precision of the cells");
  }

  Description description(World& world) const override {
    return twice_ ? describe_as<double>(world) : describe_as<float>(world);
  }

private:
  template <class T>
  Description describe_as(World& world) const {
    diffusion::Problem small;
    small.extents = {kSmall, kSmall, kSmall};
    small.points = points_ == "7" ? 7 : 27;
    const diffusion::Diffusion<T> diffusion(world, small);
    return describe(Program(diffusion.step())).resized({extents_[0], extents_[1], extents_[2]});
  }

  std::array<long, 3> extents_{128, 128, 128};
  std::string points_ = "7";
  bool twice_ = true;
};

} // namespace

std::vector<std::unique_ptr<Subject>> subjects() {
  std::vector<std::unique_ptr<Subject>> list;
  list.push_back(std::make_unique<LaplaceSubject>());
  list.push_back(std::make_unique<HimenoSubject>());
  list.push_back(std::make_unique<DiffusionSubject>());
  return list;
}

} // namespace tasuki::model
