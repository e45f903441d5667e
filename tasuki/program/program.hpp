// A program is the list of the parts of one time step: sweeps, swaps, exchanges, calls, settlements.
//
//   const auto relax = ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v));
//   const auto tell = ts::call([](long step) { std::printf("step %ld\n", step); });
//   const ts::Program steps = ts::program(relax, ts::swap(u, v), ts::every(100, tell));
//   ts::run(steps, {.times = 1000});
//
// Exchanges of halos are inserted where a sweep's reads need them.
#pragma once

#include <tasuki/halo/exchange.hpp>
#include <tasuki/program/sweep.hpp>

#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace tasuki {

// The parts of a step.
struct Swap {
  std::shared_ptr<FieldCore> a, b;
};
struct Refresh { // an explicit exchange of the user
  std::vector<std::shared_ptr<FieldCore>> fields;
};
struct Call {
  std::function<void(long)> function; // its argument is the number of the step that is ending, from 1
};

struct Item {
  std::variant<Sweep, Swap, Refresh, Call, Settle> what;
  long period = 1;     // executed in steps whose number (from 1) is a multiple of it ..
  bool others = false; // .. or in all the others
};
using Items = std::vector<Item>;

// swap(u, v) exchanges the memory of u and v (double buffering); no cell is copied. run() throws
// Error if they differ in grid, value type or codec.
template <class T>
Item swap(const Field<T>& u, const Field<T>& v) {
  return {.what = Swap{u.core(), v.core()}};
}
// exchange(u, v) exchanges the complete halo of each field at this point, even if it is valid.
template <class... T>
Item exchange(const Field<T>&... fields) {
  return {.what = Refresh{{fields.core()...}}};
}
// A function that the host of every rank runs after the preceding parts of the step: call(f), and f(step) with a long.
inline Item call(std::function<void(long)> function) { return {.what = Call{std::move(function)}}; }

// The list of one part of a step.
inline Items items(const Sweep& sweep) { return {Item{.what = sweep}}; }
inline Items items(const Settle& settlement) { return {Item{.what = settlement}}; }
inline Items items(const Item& item) { return {item}; }
inline Items items(const Items& list) { return list; }

// The items of one list, followed by those of another.
inline Items operator+(Items first, const Items& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// every(k, what) executes `what` in each k-th step, counted from 1; every(k, what, otherwise) executes `otherwise`
// in the other steps. Throws Error if k < 1.
//   every(100, relax_and_measure, relax)
template <class A>
Items every(long k, const A& what) {
  if (k < 1) throw Error("every(" + std::to_string(k) + ", ..) has no meaning", "use 1 or more steps");
  Items list = items(what);
  for (Item& item : list) item.period = k;
  return list;
}
template <class A, class B>
Items every(long k, const A& what, const B& otherwise) {
  Items list = every(k, what);
  for (Item item : items(otherwise)) {
    item.period = k;
    item.others = true;
    list.push_back(item);
  }
  return list;
}

class Planner;

// Throws Error if its sweeps are over different grids, or if a sweep reads beyond
// the halo or the edge of the grid. A handle: copies share the planned steps.
class Program {
public:
  explicit Program(Items items);

  const Items& items() const { return *items_; }
  GridCore& grid() const { return *grid_; }
  Planner& planner() const { return *planner_; }

private:
  std::shared_ptr<const Items> items_;
  std::shared_ptr<GridCore> grid_;
  std::shared_ptr<Planner> planner_;
};

// program(relax, swap(u, v)): sweeps, swaps, exchanges, calls, settlements and every(..), in the order of execution.
template <class... A>
Program program(const A&... parts) {
  return Program((Items{} + ... + items(parts)));
}

} // namespace tasuki
