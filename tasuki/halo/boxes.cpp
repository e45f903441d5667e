#include <tasuki/halo/boxes.hpp>

#include <algorithm>

namespace tasuki {

std::vector<Direction> directions(const Decomposition& cut, int order) {
  std::vector<Direction> list;
  int count = 1;
  for (int a = 0; a < cut.dims; ++a) count *= 3;
  for (int k = 0; k < count; ++k) {
    Direction d{};
    int axes = 0, rest = k;
    bool possible = true;
    for (int a = 0; a < cut.dims; ++a, rest /= 3) {
      d[a] = rest % 3 - 1;
      axes += d[a] != 0;
      possible = possible && (d[a] == 0 || cut.exchanges(a));
    }
    if (axes > 0 && axes <= order && possible) list.push_back(d);
  }
  return list;
}

int axes_of(const Direction& d) {
  int axes = 0;
  for (const int step : d) axes += step != 0;
  return axes;
}

Direction opposite(Direction d) {
  for (int& step : d) step = -step;
  return d;
}

Box sent_box(const Layout& sender, const Direction& d, const Depth& depth) {
  Box b = box_of(sender.dims, sender.extents);
  for (int a = 0; a < sender.dims; ++a) {
    if (d[a] > 0) b.lo[a] = b.hi[a] - depth.width[a].lo; // the receiver's lower halo has this width
    if (d[a] < 0) b.hi[a] = depth.width[a].hi;
  }
  return b;
}
Box received_box(const Layout& receiver, const Direction& d, const Depth& depth) {
  Box b = box_of(receiver.dims, receiver.extents);
  for (int a = 0; a < receiver.dims; ++a) {
    if (d[a] > 0) {
      b.lo[a] = -depth.width[a].lo;
      b.hi[a] = 0;
    }
    if (d[a] < 0) {
      b.lo[a] = receiver.extents[a];
      b.hi[a] = b.lo[a] + depth.width[a].hi;
    }
  }
  return b;
}

std::vector<WireTerm> terms_of(const Codec* codec, int components, const Direction& d) {
  if (!codec) {
    std::vector<WireTerm> all;
    for (int k = 0; k < components; ++k) all.push_back({k, k});
    return all;
  }
  if (axes_of(d) != 1) return {};
  const auto axis = std::find_if(d.begin(), d.end(), [](int step) { return step != 0; }) - d.begin();
  return codec->terms[static_cast<std::size_t>(axis)][d[static_cast<std::size_t>(axis)] > 0 ? 0 : 1];
}

Depth whole_halo(const Widths& halo, int dims, bool codec) {
  Depth whole{halo, codec ? 1 : dims};
  if (codec)
    for (Width& width : whole.width) width = Width(std::min(width.lo, 1), std::min(width.hi, 1));
  return whole;
}

std::vector<SentFace> sent_faces(const Decomposition& cut, int rank, const Layout& layout,
                                 const std::vector<SentField>& fields,
                                 const std::vector<Direction>& directions) {
  std::vector<SentFace> faces;
  for (const Direction& d : directions) {
    SentFace& face = faces.emplace_back(SentFace{d, cut.neighbour(rank, d), {}});
    if (face.to < 0) continue;
    for (const SentField& field : fields) {
      const Box box = sent_box(layout, d, field.depth);
      if (axes_of(d) > field.depth.order || box.empty()) continue;
      face.stored = face.stored && (field.reached || face.to == rank);
      const Rows rows = rows_of(field.storage.strided(nullptr, layout, box, 0), field.storage.element_bytes);
      face.parts.insert(face.parts.end(), terms_of(field.codec, field.storage.components, d).size(), rows);
    }
  }
  return faces;
}

} // namespace tasuki
