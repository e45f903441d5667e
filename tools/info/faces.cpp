#include <tools/info/faces.hpp>

#include <tasuki/base/gather.hpp>

#include <cstring>

namespace tasuki::info {
namespace {

// A face as it travels to rank 0: plain bytes.
struct WireFace {
  std::array<int, kMaxDims> direction;
  int from, to, channel, mode;
  long bytes;
  char shape[16];
};

std::string name_of(const std::array<int, kMaxDims>& direction) {
  std::string name;
  for (int a = 0; a < kMaxDims; ++a) {
    if (direction[a] == 0) continue;
    name += a < 4 ? std::string(1, "xyzt"[a]) : std::to_string(a);
    name += direction[a] > 0 ? '+' : '-';
  }
  return name;
}

std::vector<FaceRow> gather(World& world, const std::vector<Face>& mine) {
  std::vector<WireFace> sent(mine.size());
  for (std::size_t k = 0; k < mine.size(); ++k) {
    const Face& face = mine[k];
    sent[k] = {
        face.direction, face.from, face.to, static_cast<int>(face.channel), static_cast<int>(face.mode),
        face.bytes,     {}};
    std::strncpy(sent[k].shape, face.shape.c_str(), sizeof sent[k].shape - 1);
  }
  std::vector<FaceRow> rows;
  gather_in_turn(
      world, sent.data(), sent.size() * sizeof(WireFace), [&](int, const std::vector<char>& bytes) {
        std::vector<WireFace> faces(bytes.size() / sizeof(WireFace));
        if (!faces.empty()) std::memcpy(faces.data(), bytes.data(), bytes.size());
        for (const WireFace& face : faces)
          rows.push_back(
              {face.from, face.to, name_of(face.direction),
               to_string(Route{static_cast<ChannelKind>(face.channel), static_cast<PeerMode>(face.mode)}),
               face.bytes, face.shape});
      });
  return rows;
}

template <int D, class T>
GridAnswer ask_of(World& world, const GridQuestion& q) {
  std::array<long, D> extents;
  std::copy(q.extents.begin(), q.extents.end(), extents.begin());
  const Grid<D> grid(world, extents, {.halo = q.halo, .periodic = q.periodic});
  const Field<T> field(grid, "field");
  const Exchange exchange({{field.core(), Depth{grid.core()->halo(), D}}});
  const Decomposition& cut = grid.cut();
  const LinkKinds links = link_kinds(world.part<Device>());
  GridAnswer answer{grid_info(grid),
                    {},
                    naive_mapping(cut, grid.core()->halo(), links),
                    {},
                    gather(world, exchange.faces())};
  answer.mapping = cut.rank_of_block.empty() ? answer.naive
                                             : mapping_as(cut, grid.core()->halo(), links, cut.rank_of_block);
  for (int r = 0; r < world.size(); ++r) answer.blocks.push_back(cut.block(r));
  return answer;
}

template <int D>
GridAnswer ask_of(World& world, const GridQuestion& q) {
  return q.twice ? ask_of<D, double>(world, q) : ask_of<D, float>(world, q);
}

} // namespace

GridAnswer ask(World& world, const GridQuestion& q) {
  switch (q.extents.size()) {
    case 1: return ask_of<1>(world, q);
    case 2: return ask_of<2>(world, q);
    case 3: return ask_of<3>(world, q);
    case 4: return ask_of<4>(world, q);
    default:
      throw Error("--extents has " + std::to_string(q.extents.size()) + " numbers", "give 1 to 4, x first");
  }
}

} // namespace tasuki::info
