#include <tasuki/base/error.hpp>

#include <tasuki/base/json_number.hpp>
#include <tasuki/model/constants.hpp>
#include <tasuki/model/terms.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tasuki {
namespace {

using Json = nlohmann::json;

constexpr int kTermsSchema = 1;

Part part_of(const std::string& name) {
  const auto at = std::find(kPartNames.begin(), kPartNames.end(), name);
  if (at == kPartNames.end())
    throw Error("a model has no part '" + name + "'", "use compute, latency, bandwidth or host");
  return static_cast<Part>(at - kPartNames.begin());
}

// Otherwise a misspelt member would silently keep its default.
void check_members(const Json& json, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& [name, value] : json.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(where + " has an unknown member '" + name + "'", "see docs/model.md for what there is");
}

constexpr std::array<const char*, 4> kSpaceCosts = {"", "touch", "section", "synchronisation"};

// What a space costs goes into the term's numbers.
void take_space(Term& term, const Json& json, const SpaceConstants& space) {
  const std::string of = json.at("of").get<std::string>();
  const auto at = std::find(kSpaceCosts.begin() + 1, kSpaceCosts.end(), of);
  if (at == kSpaceCosts.end())
    throw Error("term '" + term.name + "' is of '" + of + "'", "use touch, section or synchronisation");
  if (json.contains("seconds") || json.contains("bytes_per_second"))
    throw Error(
        "term '" + term.name + "' is of a space's " + of + ", and has seconds or bytes a second of its own",
        "leave one out");
  term.of = static_cast<SpaceCost>(at - kSpaceCosts.begin());
  if (term.of != SpaceCost::section && term.bytes > 0)
    throw Error("term '" + term.name + "' is of a space's " + of + ", which takes as long for any bytes",
                "count them, and leave the bytes out");
  term.seconds = term.of == SpaceCost::touch     ? space.touch
                 : term.of == SpaceCost::section ? space.section
                                                 : space.synchronisation;
  if (term.of == SpaceCost::section) term.bytes_per_second = space.section_bandwidth;
  if (!(term.seconds > 0))
    throw Error(
        "term '" + term.name + "' is of a space's " + of + ", and the file does not say what that costs",
        "give it {\"space\": {..}}");
}

Term term_of(const Json& json, const SpaceConstants& space) {
  check_members(
      json, {"name", "part", "count", "seconds", "bytes", "bytes_per_second", "power", "log2", "of", "note"},
      "a term");
  Term term;
  term.name = json.at("name").get<std::string>();
  term.part = part_of(json.at("part").get<std::string>());
  const auto number = [&](const char* name, double& value) {
    if (json.contains(name)) value = json_number<double>(json.at(name), name);
  };
  number("count", term.count);
  number("seconds", term.seconds);
  number("bytes", term.bytes);
  number("bytes_per_second", term.bytes_per_second);
  number("power", term.power);
  term.log2 = json.value("log2", term.log2);
  if (json.contains("of")) take_space(term, json, space);
  if (!(term.bytes_per_second > 0))
    throw Error("term '" + term.name + "' has no bandwidth", "give bytes_per_second above 0");
  return term;
}

std::vector<Term> terms_of(const Json& json, const SpaceConstants& space) {
  std::vector<Term> terms;
  if (!json.contains("terms")) return terms;
  for (const Json& each : json.at("terms")) terms.push_back(term_of(each, space));
  return terms;
}

} // namespace

double Term::at(double devices) const {
  const double rounds = log2 ? std::ceil(std::log2(devices)) : 1;
  return count * rounds * std::pow(devices, power) * (seconds + bytes / bytes_per_second);
}

Parts TermModel::Case::at(double devices) const {
  Parts parts;
  for (const Term& term : terms) parts[term.part] += term.at(devices);
  return parts;
}

TermModel parse_terms(const std::string& text, const std::string& path, const SpaceConstants* here) {
  try {
    const Json json = Json::parse(text);
    check_members(json, {"schema", "name", "source", "weak", "devices", "terms", "cases", "space", "note"},
                  "a model");
    if (json.at("schema").get<int>() != kTermsSchema)
      throw Error("a model of schema " + json.at("schema").dump(), "use one of schema 1");
    TermModel model;
    model.name = json.at("name").get<std::string>();
    model.source = json.value("source", "");
    model.weak = json.value("weak", false);
    model.devices = json.value("devices", std::vector<int>{});
    SpaceConstants space;
    if (json.contains("space")) space = space_constants_of(json.at("space"), space);
    if (here) space = *here;
    const std::vector<Term> shared = terms_of(json, space);
    const Json one = Json::array({{{"name", ""}}});
    for (const Json& each : json.contains("cases") ? json.at("cases") : one) {
      TermModel::Case made{each.at("name").get<std::string>(), shared};
      for (Term& term : terms_of(each, space)) made.terms.push_back(std::move(term));
      if (made.terms.empty()) throw Error("case '" + made.name + "' has no terms", "give it at least one");
      model.cases.push_back(std::move(made));
    }
    if (model.cases.empty()) throw Error("there are no cases", "give at least one, or leave them out");
    return model;
  } catch (const Json::exception& fault) {
    throw Error(path + " is no model: " + fault.what(), "see docs/model.md for its form");
  } catch (const Error& fault) {
    throw Error(path + ": " + fault.what(), "correct the file");
  }
}

TermModel load_terms(const std::string& path, const SpaceConstants* here) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path, "give a file of constants, as models/dscuda-remd-2014.json");
  std::stringstream text;
  text << file.rdbuf();
  return parse_terms(text.str(), path, here);
}

} // namespace tasuki
