#include <tasuki/base/log.hpp>
#include <tasuki/halo/boxes.hpp>
#include <tasuki/halo/exchange.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tasuki {
namespace {

// The faces that each rank sends, and their routes. The result is the same on every rank that computes it.
class Traffic {
public:
  Traffic(const std::vector<HaloNeed>& needs, const std::vector<Direction>& directions, bool without_host)
      : needs_(needs),
        directions_(directions),
        grid_(needs.front().field->grid()),
        router_(grid_.device(), grid_.dims(), without_host) {}

  const Router& router() const { return router_; }
  // The faces that `rank` sends, in the order of the directions. Directions without a neighbour or cells are left out.
  const std::vector<SentFace>& sent(int rank) { return of(rank).faces; }
  const std::vector<Route>& routes(int rank) { return of(rank).routes; }
  // The route of the face that `rank` sends in direction number `direction`. There must be such a face.
  Route route(int rank, std::size_t direction) {
    const Sender& sender = of(rank);
    return sender.routes.at(static_cast<std::size_t>(sender.face_of[direction]));
  }

private:
  struct Sender {
    std::vector<SentFace> faces;
    std::vector<int> face_of; // index of the face by direction; -1: no cells travel
    std::vector<Route> routes;
  };

  const Sender& of(int rank) {
    const auto known = senders_.find(rank);
    if (known != senders_.end()) return known->second;
    Sender sender;
    std::vector<SentField> fields;
    for (const HaloNeed& need : needs_)
      fields.push_back({need.field->storage(), need.field->codec(), need.depth, need.field->reached()});
    for (SentFace& face : sent_faces(grid_.cut(), rank, grid_.layout_of(rank), fields, directions_)) {
      sender.face_of.push_back(face.parts.empty() ? -1 : static_cast<int>(sender.faces.size()));
      if (!face.parts.empty()) sender.faces.push_back(std::move(face));
    }
    sender.routes = router_.routes(rank, sender.faces);
    for (std::size_t k = 0; k < sender.faces.size(); ++k)
      if (grid_.bands().side_by_side(rank, sender.faces[k].direction)) {
        sender.routes[k] = {ChannelKind::peer, PeerMode::stores};
        if (axes_of(sender.faces[k].direction) == 1)
          for (Rows& rows : sender.faces[k].parts) rows.bytes = 0;
      }
    return senders_.emplace(rank, std::move(sender)).first->second;
  }

  const std::vector<HaloNeed>& needs_;
  const std::vector<Direction>& directions_;
  GridCore& grid_;
  Router router_;
  std::map<int, Sender> senders_;
};

// Calls each(field, depth, term) for every term that travels in direction d, in the same order on all ranks.
template <class Each>
void visit(const std::vector<HaloNeed>& needs, const Direction& d, const Each& each) {
  for (const HaloNeed& need : needs)
    if (axes_of(d) <= need.depth.order)
      for (const WireTerm& term : terms_of(need.field->codec(), need.field->components(), d))
        each(*need.field, need.depth, term);
}

// Whether what `rank` sends in direction d is the receiver's halo already: then flags alone travel.
bool is_there(const GridCore& grid, int rank, const Direction& d) {
  return axes_of(d) == 1 && grid.bands().side_by_side(rank, d);
}

// The parcels that this rank sends and receives. Both ends list them by direction, field and component.
std::vector<Parcel> parcels_of(const std::vector<HaloNeed>& needs, const std::vector<Direction>& ways,
                               Traffic& traffic) {
  const GridCore& grid = needs.front().field->grid();
  const Layout& here = grid.layout();
  const int me = grid.world().rank();
  std::vector<Parcel> parcels;
  for (std::size_t number = 0; number < ways.size(); ++number) {
    const Direction& d = ways[number];
    const int to = grid.cut().neighbour(me, d), from = grid.cut().neighbour(me, opposite(d));
    if (to >= 0) {
      const Layout there = grid.layout_of(to);
      visit(needs, d, [&](const FieldCore& field, const Depth& depth, const WireTerm& term) {
        const Box box = sent_box(here, d, depth);
        if (box.empty()) return;
        if (is_there(grid, me, d)) {
          parcels.push_back({me, to, traffic.route(me, number), {}, {}});
          return;
        }
        Parcel parcel{me, to, traffic.route(me, number), field.strided(field.origin(), here, box, term), {}};
        if (to == me || needs_landing(parcel.route)) {
          char* const origin = to == me ? field.origin() : field.origin_of(to);
          parcel.landing = field.strided(origin, there, received_box(there, d, depth), term.to);
        }
        parcels.push_back(parcel);
      });
    }
    if (from >= 0 && from != me) {
      visit(needs, d, [&](const FieldCore& field, const Depth& depth, const WireTerm& term) {
        const Box box = received_box(here, d, depth);
        if (box.empty()) return;
        if (is_there(grid, from, d)) {
          parcels.push_back({from, me, traffic.route(from, number), {}, {}});
          return;
        }
        parcels.push_back(
            {from, me, traffic.route(from, number), {}, field.strided(field.origin(), here, box, term.to)});
      });
    }
  }
  return parcels;
}

// The direction for --log: "x-" is towards lower x, as in --channel; "x+y-" is across an edge.
std::string text_of(const std::array<int, kMaxDims>& direction) {
  constexpr char kAxes[] = "xyztuv";
  static_assert(sizeof kAxes > kMaxDims);
  std::string text;
  for (int a = 0; a < kMaxDims; ++a)
    if (direction[a] != 0) text += fmt::format("{}{}", kAxes[a], direction[a] < 0 ? '-' : '+');
  return text;
}
std::string way_of(const Face& face) {
  const bool modes = row_of(face.channel).modes;
  return fmt::format("{} to rank {} by {}{}{}", text_of(face.direction), face.to, to_string(face.channel),
                     modes ? ":" : "", modes ? to_string(face.mode) : "");
}
std::string ways_of(const std::vector<Face>& faces) {
  std::vector<std::string> ways;
  for (const Face& face : faces) ways.push_back(way_of(face));
  return fmt::format("{}", fmt::join(ways, ", "));
}
std::string text_of(const std::vector<HaloNeed>& needs) {
  std::vector<std::string> fields;
  for (const HaloNeed& need : needs) {
    int deepest = 0;
    for (const Width width : need.depth.width) deepest = std::max({deepest, width.lo, width.hi});
    fields.push_back(fmt::format("'{}' up to {} deep", need.field->name(), deepest));
  }
  return fmt::format("{}", fmt::join(fields, ", "));
}

} // namespace

struct Exchange::Listed {
  std::string fields; // for --log
  std::vector<Parcel> parcels;
  std::vector<Face> faces;
  double predicted = 0;

  Listed(const std::vector<HaloNeed>& needs, Turns turns) {
    const GridCore& grid = needs.front().field->grid();
    Device& device = grid.device();
    const int me = grid.world().rank();
    int order = 0;
    for (const HaloNeed& need : needs) order = std::max(order, need.depth.order);
    const std::vector<Direction> ways = directions(grid.cut(), order);
    Traffic traffic(needs, ways, device.cuda() && turns == Turns::device);
    for (std::size_t k = 0; k < traffic.sent(me).size(); ++k) {
      const SentFace& sent = traffic.sent(me)[k];
      const Route route = traffic.routes(me)[k];
      Face face{sent.direction, me, sent.to, route.channel, route.mode, 0, to_string(sent.parts[0].shape)};
      for (const Rows& rows : sent.parts) face.bytes += rows.bytes;
      faces.push_back(face);
    }
    if (logs(grid.world(), LogLevel::debug)) fields = text_of(needs);
    predicted = traffic.router().predicted(me, traffic.sent(me), traffic.routes(me));
    parcels = parcels_of(needs, ways, traffic);
    if (Transfer::refuses(device, parcels, turns))
      throw Error("executor graph needs halos that travel without the host, and some go by MPI",
                  "take --executor overlapped, or ranks that share a node");
  }
};

Exchange::Exchange(const std::vector<HaloNeed>& needs, Turns turns)
    : Exchange(needs.front().field->grid().device(), Listed(needs, turns), turns) {}

Exchange::Exchange(Device& device, Listed&& listed, Turns turns)
    : Transfer(device, listed.parcels, turns), faces_(std::move(listed.faces)), predicted_(listed.predicted) {
  if (faces_.empty()) return;
  World& world = device.world();
  log_info(world, [&] {
    return fmt::format("halos of rank 0 travel {}{}", ways_of(faces_),
                       world.settings().channel.empty() ? "" : ", as --channel asks");
  });
  log_debug(world, [&] {
    long bytes = 0;
    for (const Face& face : faces_) bytes += face.bytes;
    return fmt::format("exchange of {}: {} bytes of rank 0, predicted to take {:.3g} us", listed.fields,
                       bytes, 1e6 * predicted_);
  });
}

} // namespace tasuki
