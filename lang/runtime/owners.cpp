#include "owners.hpp"

#include <tasuki/base/variables.hpp>

#include <cstdio>

#include <nlohmann/json.hpp>

namespace tasuki::xmp {
namespace {

constexpr std::size_t kMostPieces = 256; // of an axis: a picture of more of them shows nothing

std::string to_text(const Shadow& shadow) {
  if (shadow.full) return "*";
  return shadow.lo == shadow.hi ? std::to_string(shadow.lo)
                                : std::to_string(shadow.lo) + ":" + std::to_string(shadow.hi);
}

nlohmann::json pieces_of(const AlignedAxis& axis) {
  nlohmann::json pieces = nlohmann::json::array();
  for (long i = 0; i < axis.extent() && pieces.size() < kMostPieces;) {
    const int owner = axis.owner(i);
    const long first = i;
    while (i < axis.extent() && axis.owner(i) == owner) ++i;
    pieces.push_back({first, i - first, owner});
  }
  return pieces;
}

} // namespace

bool owners_asked_for() {
  static const bool asked = variable_word("TASUKI_OWNERS").has_value(); // arrays may be made in every step
  return asked;
}

void tell_owners(const ArrayObject& object) {
  const Alignment& alignment = object.array->alignment();
  nlohmann::json axes = nlohmann::json::array();
  for (std::size_t d = 0; d < alignment.axes().size(); ++d) {
    const AlignedAxis& axis = alignment.axes()[d];
    const int dim = object.along[d].dim;
    const std::string format =
        dim < 0 ? "*" : to_string(*object.with->formats[static_cast<std::size_t>(dim)]);
    axes.push_back({{"extent", axis.extent()},
                    {"node_dim", axis.node_dim()},
                    {"format", format},
                    {"shadow", to_text(object.shadows[d])},
                    {"pieces", pieces_of(axis)}});
  }
  const nlohmann::json line = {{"name", object.name},
                               {"nodes", alignment.nodes().extents()},
                               {"ranks", alignment.nodes().members()},
                               {"axes", axes}};
  std::fprintf(stderr, "@owners %s\n", line.dump().c_str());
}

} // namespace tasuki::xmp
