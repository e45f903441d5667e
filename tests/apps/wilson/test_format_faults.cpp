// Files that are not what they should be end in one line that says what is wrong, on every rank; none is read
// wrongly.
#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/format/lime.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/scidac.hpp>
#include <tests/apps/wilson/format_files.hpp>

#include <limits>

namespace tasuki::wilson::test {
namespace {

class FormatFaults : public InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    lattice_.emplace(world(), n_);
    whole_ = random_links(n_, 0.4, 3);
    mine_ = part_of(*lattice_, whole_, 72);
    plaquette_ = plaquette_of(n_, whole_);
    for (const std::string name : {"a.lime", "a.nersc"}) {
      write_configuration(*lattice_, at(name), mine_,
                          {.format = format_of_name(name), .plaquette = plaquette_});
      good_[name] = bytes_of(at(name));
      info_[name] = inspect_configuration(at(name));
    }
    MPI_Barrier(world().comm());
  }

  // What reading says once the file has these bytes.
  std::string fault_of_bytes(const std::string& name, const std::string& bytes,
                             const ReadOptions& options = {}) {
    make(at(name), bytes);
    const std::string fault = fault_of([&] { read_configuration(*lattice_, at(name), options); });
    MPI_Barrier(world().comm());
    return fault;
  }
  // The same with a piece of the text changed; `to` is as long, or the file's length changes.
  std::string fault_of_text(const std::string& name, const std::string& from, const std::string& to) {
    std::string bytes = good_[name];
    const std::size_t where = bytes.find(from);
    EXPECT_NE(where, std::string::npos) << from;
    return fault_of_bytes(name, bytes.replace(where, from.size(), to));
  }

  // A LIME file of nothing but links: no checksum stands between them and what looks at them.
  std::string bare(const std::vector<double>& links) {
    std::string bytes(links.size() * 8, '\0');
    encode(links.data(), bytes.data(), static_cast<long>(links.size()), 8, kLittleHere);
    const std::size_t offset = info_["a.lime"].offset;
    return good_["a.lime"].substr(offset - 144, 144) + bytes;
  }

  const Extents n_{4, 2, 6, 4};
  std::optional<Lattice> lattice_;
  std::vector<double> whole_, mine_;
  double plaquette_ = 0;
  std::map<std::string, std::string> good_; // the files' bytes
  std::map<std::string, GaugeInfo> info_;
};

TEST_F(FormatFaults, OfNoFileOrAnother) {
  EXPECT_TRUE(has(fault_of([&] { inspect_configuration(at("none")); }), "there is no file"));
  EXPECT_TRUE(has(fault_of([&] { inspect_configuration(folder_); }), "is a folder"));
  EXPECT_TRUE(has(fault_of_bytes("b", ""), "is of no format"));
  EXPECT_TRUE(has(fault_of_bytes("b", "BEG"), "is of no format"));
  EXPECT_TRUE(has(fault_of_bytes("b", std::string(1000, '\x7f')), "is of no format"));
  EXPECT_TRUE(has(fault_of([] { format_of_name("a.txt"); }), "does not say which format"));
}

TEST_F(FormatFaults, OfAnotherLattice) {
  const Lattice other(world(), {4, 2, 4, 6}); // as many sites
  for (const std::string name : {"a.lime", "a.nersc"})
    EXPECT_TRUE(has(fault_of([&] { read_configuration(other, at(name)); }), "4x2x6x4 sites, not 4x2x4x6"));
  MPI_Barrier(world().comm());
  EXPECT_TRUE(has(fault_of_text("a.nersc", "DIMENSION_2 = 2", "DIMENSION_2 = 3"), "odd along y"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "DIMENSION_2 = 2", "DIMENSION_2 = x"), "has 'x' for an extent"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "DIMENSION_2 = 2", "DIMENSION_2 = -2"), "for an extent"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "DIMENSION_3 = 6", "DIMENSION_3 = 600000"), "cut short"));
  EXPECT_TRUE(has(fault_of_text("a.lime", "<lz>6<", "<lz>8<"), "cut short or damaged"));
}

TEST_F(FormatFaults, OfHeaders) {
  EXPECT_TRUE(
      has(fault_of_text("a.nersc", "4D_SU3_GAUGE_3x3", "4D_SU4_GAUGE_4x4"), "holds 4D_SU4_GAUGE_4x4"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "IEEE64BIG", "IEEE16BIG"), "numbers of kind IEEE16BIG"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "PLAQUETTE =  0", "PLAQUETTE =  q"), "for PLAQUETTE"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "DIMENSION_4", "DIMENSION_5"), "has no DIMENSION_4"));
  EXPECT_TRUE(has(fault_of_text("a.nersc", "END_HEADER", "END_HEARTS"), "its header has no end"));
  EXPECT_TRUE(has(fault_of_text("a.lime", "<precision>64<", "<precision>16<"), "numbers of 16 bits"));
  EXPECT_TRUE(has(fault_of_text("a.lime", "<precision>D<", "<precision>F<"), "holds 4 things of 144 bytes"));
  EXPECT_TRUE(has(fault_of_text("a.lime", "su3gauge", "su2gauge"), "holds su2gauge"));
  EXPECT_TRUE(has(fault_of_text("a.lime", "ildg-binary-data", "ildg-binary-dada"), "no gauge configuration"));
  std::string bytes = good_["a.lime"];
  const std::size_t offset = info_["a.lime"].offset;
  bytes[offset - 144] = 'x'; // the magic number of its record
  EXPECT_TRUE(has(fault_of_bytes("a.lime", bytes), "no LIME record begins at byte"));
  bytes = good_["a.lime"];
  bytes[offset - 136] = '\x7f'; // the length of its record
  EXPECT_TRUE(has(fault_of_bytes("a.lime", bytes), "is cut short: its record ildg-binary-data"));
}

TEST_F(FormatFaults, OfChecksums) {
  for (const std::string name : {"a.lime", "a.nersc"}) {
    const GaugeInfo& info = info_[name];
    std::string bytes = good_[name];
    bytes[info.offset + info.bytes / 2] ^= 1;
    const std::string fault = fault_of_bytes(name, bytes);
    EXPECT_TRUE(has(fault, "checksum"));
    char said[9];
    std::snprintf(said, sizeof said, "%08x", (*info.checksum)[0]);
    EXPECT_TRUE(has(fault, std::string("the file says ") + said));
  }
  EXPECT_EQ(fault_of_bytes("a.lime", good_["a.lime"]), "");
}

TEST_F(FormatFaults, OfWhatWasMeasured) {
  EXPECT_TRUE(has(fault_of_text("a.nersc", "LINK_TRACE =  0.", "LINK_TRACE = -0."), "the link trace of"));
  // A header of few digits is held against them alone.
  const std::size_t start = good_["a.nersc"].find("LINK_TRACE =  ") + 14;
  const std::string digits = good_["a.nersc"].substr(start, 14);
  EXPECT_EQ(fault_of_text("a.nersc", digits, digits.substr(0, 5)), "");
}

TEST_F(FormatFaults, OfLinks) {
  EXPECT_EQ(fault_of_bytes("bare.lime", bare(whole_)), "");
  const long site = 3 + 4 * (1 + 2 * (5 + 6 * 2)); // (3, 1, 5, 2)
  const std::size_t link = static_cast<std::size_t>(site * 4 + 1) * 18;
  std::vector<double> links = whole_;
  links[link + 7] += 1e-3;
  links.back() += 1; // a later one
  const std::string fault = fault_of_bytes("bare.lime", bare(links));
  EXPECT_TRUE(has(fault, "U_y at (3, 1, 5, 2) of "));
  EXPECT_TRUE(has(fault, "is no matrix of SU(3): off by 0.00"));
  EXPECT_TRUE(has(fault, "1e-08 at most"));
  EXPECT_EQ(fault_of_bytes("bare.lime", bare(links), {.unitarity = 10}), "");
  for (std::size_t k = 0; k < 18; ++k) links[link + k] = -whole_[link + k]; // unitary, its determinant is -1
  EXPECT_TRUE(has(fault_of_bytes("bare.lime", bare(links)), "off by 2"));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    links[link + 17] = bad;
    EXPECT_TRUE(has(fault_of_bytes("bare.lime", bare(links)), "U_y at (3, 1, 5, 2)"));
    EXPECT_TRUE(has(fault_of_bytes("bare.lime", bare(links)), "not finite"));
    std::vector<double> mine = part_of(*lattice_, links, 72);
    const std::string written = at("never.lime");
    EXPECT_TRUE(has(fault_of([&] { write_configuration(*lattice_, written, mine); }), "is not written"));
    EXPECT_FALSE(std::filesystem::exists(written));
  }
}

TEST_F(FormatFaults, OfWriting) {
  EXPECT_TRUE(
      has(fault_of([&] { write_configuration(*lattice_, at("a.nersc"), mine_, {.format = Format::nersc}); }),
          "the plaquette in its header"));
  EXPECT_TRUE(has(fault_of([&] { write_configuration(*lattice_, at("a"), mine_, {.format = Format::milc}); }),
                  "files of MILC are read and not written"));
  EXPECT_TRUE(has(fault_of([&] { write_configuration(*lattice_, at("a.lime"), mine_, {.rows = 2}); }),
                  "all three rows"));
  EXPECT_TRUE(has(fault_of([&] { write_configuration(*lattice_, at("a.lime"), mine_, {.number_bytes = 2}); }),
                  "4 or 8"));
  EXPECT_TRUE(
      has(fault_of([&] { write_configuration(*lattice_, at("no/a.lime"), mine_); }), "does not exist"));
  EXPECT_EQ(bytes_of(at("a.nersc")), good_["a.nersc"]); // none of that touched it
}

// A file of MILC's or openQCD's: 4-byte words, then numbers.
std::string little(const std::vector<std::uint32_t>& words, std::size_t zeros) {
  std::string bytes;
  for (const std::uint32_t word : words) {
    bytes.resize(bytes.size() + 4);
    put_word(bytes.data() + bytes.size() - 4, word, !kLittleHere);
  }
  return bytes + std::string(zeros, '\0');
}

TEST(ScidacRecord, HoldsNoNumberThatWouldBeCut) {
  ScidacRecord asked;
  asked.type = "QDP_D3_DiracFermion";
  asked.number_bytes = 8;
  asked.spins = 4;
  asked.type_bytes = 192;
  asked.count = 12;
  const std::string xml = record_xml(asked);
  const ScidacRecord read = parse_record(xml, "file.lime");
  EXPECT_EQ(read.spins, 4);
  EXPECT_EQ(read.type_bytes, 192);
  EXPECT_EQ(read.count, 12);
  for (const auto& [was, is] : {std::pair{"<spins>4", "<spins>4294967300"}, // 4 to an int
                                {"<spins>4", "<spins>4.5"},
                                {"<spins>4", "<spins>-4"},
                                {"<typesize>192", "<typesize>1e300"}}) {
    std::string other = xml;
    other.replace(other.find(was), std::string(was).size(), is);
    EXPECT_THROW(parse_record(other, "file.lime"), Error) << is;
  }
}

TEST_F(FormatFaults, OfMilc) {
  const auto milc = [](std::uint32_t y, std::uint32_t order, std::uint32_t sum, std::size_t zeros) {
    std::vector<std::uint32_t> words(24, 0);
    const std::uint32_t head[] = {20103, 4, y, 6, 4};
    std::copy(std::begin(head), std::end(head), words.begin());
    words[21] = order;
    words[22] = sum;
    return little(words, zeros);
  };
  const std::size_t whole = 4 * 2 * 6 * 4 * 288;
  EXPECT_TRUE(has(fault_of_bytes("m", milc(2, 0, 0, whole)), "U_x at (0, 0, 0, 0) of ")); // its sum is right
  EXPECT_TRUE(has(fault_of_bytes("m", milc(2, 0, 7, whole)),
                  "checksum 00000000/00000000, and the file says 00000007"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(2, 1, 0, whole)), "sites in order 1"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(2, 0, 0, whole - 1)), "cut short"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(3, 0, 0, 2 * whole)), "odd along y"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(4, 0, 0, 2 * whole)), "4x4x6x4 sites, not 4x2x6x4"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(0, 0, 0, whole)), "'0' for an extent"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(0xffffffffu, 0, 0, whole)), "for an extent"));
  EXPECT_TRUE(has(fault_of_bytes("m", milc(2, 0, 0, whole).substr(0, 50)), "its header has no end"));
}

TEST_F(FormatFaults, OfOpenQcd) {
  const auto openqcd = [](std::uint32_t y, std::size_t zeros) { return little({4, 4, y, 6, 0, 0}, zeros); };
  const std::size_t whole = 4 * 2 * 6 * 4 * 576;
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(2, whole)), "U_x at (0, 0, 0, 0) of ")); // 0 is not in SU(3)
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(2, whole - 8)), "cut short"));
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(3, 2 * whole)), "odd along y"));
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(4, 2 * whole)), "4x4x6x4 sites, not 4x2x6x4"));
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(1, whole)), "is of no format"));
  EXPECT_TRUE(has(fault_of_bytes("o", openqcd(2, whole).substr(0, 20)), "is of no format"));
}

// Wherever a file ends too early it is refused; wherever a byte is changed it is refused, or nothing of the
// links changed.
TEST_F(FormatFaults, OfAnyByte) {
  tasuki::test::Random random = tasuki::test::random(4);
  const Configuration good = read_configuration(*lattice_, at("a.lime"));
  MPI_Barrier(world().comm());
  for (const std::string name : {"a.lime", "a.nersc"}) {
    const std::string& bytes = good_[name];
    const GaugeInfo& info = info_[name];
    for (int trial = 0; trial < 40; ++trial) {
      const long end = trial < 20
                           ? tasuki::test::pick(random, 0, static_cast<long>(info.offset))
                           : tasuki::test::pick(random, 0, static_cast<long>(info.offset + info.bytes) - 1);
      EXPECT_NE(fault_of_bytes(name, bytes.substr(0, static_cast<std::size_t>(end))), "")
          << name << " cut at " << end;
    }
    for (int trial = 0; trial < 100; ++trial) {
      std::string other = bytes;
      const bool header = trial % 4 != 0;
      const long where =
          tasuki::test::pick(random, 0, static_cast<long>(header ? info.offset : bytes.size()) - 1);
      other[static_cast<std::size_t>(where)] ^= static_cast<char>(tasuki::test::pick(random, 1, 255));
      make(at(name), other);
      std::vector<double> links;
      const std::string fault = fault_of([&] { links = read_configuration(*lattice_, at(name)).links; });
      if (fault.empty())
        EXPECT_EQ(links, good.links) << name << " changed at " << where;
      else
        EXPECT_TRUE(has(fault, "; "));
      MPI_Barrier(world().comm());
    }
    make(at(name), bytes);
  }
}

} // namespace
} // namespace tasuki::wilson::test
