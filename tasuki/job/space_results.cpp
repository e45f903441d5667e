#include <tasuki/job/space_results.hpp>

#include <string>

namespace tasuki {

Values space_results(const std::vector<SpaceCost>& costs) {
  Values results;
  for (const SpaceCost& cost : costs) {
    const std::string name = "space." + cost.array + ".";
    const SpaceCounts& c = cost.counts;
    const auto count = [&](const std::string& what, std::uint64_t number) {
      results[name + what] = static_cast<long>(number);
    };
    count("bytes", cost.bytes);
    count("touches", c.faults);
    count("first writes", c.first_writes);
    count("pages by touch", c.pages_by_fault);
    count("pages ahead", c.pages_ahead);
    count("pages by sections", c.pages_by_section);
    count("bytes in", c.bytes_in);
    count("bytes out", c.bytes_out);
    results[name + "waited s"] = c.seconds_waited;
    results[name + "saved by preload s"] = cost.saved ? Value(*cost.saved) : Value();
    for (std::size_t k = 0; k < cost.costliest.size(); ++k) {
      const SpaceCost::Touched& place = cost.costliest[k];
      const std::string here = name + "costliest " + std::to_string(k + 1);
      results[here] = place.line;
      results[here + " touches"] = static_cast<long>(place.touches);
      results[here + " waited s"] = place.seconds;
    }
  }
  return results;
}

} // namespace tasuki
