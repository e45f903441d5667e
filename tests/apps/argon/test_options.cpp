// What a run of argon may be asked for: how large, what goes together, and what a folder's run is gone on with.
#include <apps/argon/run/options.hpp>
#include <tasuki/base/error.hpp>

#include <tests/checks.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tasuki::argon {
namespace {

using test::refusal;

struct Asked {
  Options options;
  OptionParser line{"argon", "a test"};

  explicit Asked(const std::vector<std::string>& words) {
    add_options(line, options);
    line.read(words);
  }
};

std::string fault_of_words(const std::vector<std::string>& words) {
  return refusal([&] {
    Asked asked(words);
    fit_replicas(asked.line, asked.options);
    asked.options.check();
    asked.options.dynamics();
    asked.options.make_ladder();
  });
}

TEST(Options, SayHowLargeInOneWord) {
  for (const char* name : {"--size", "--extents"}) {
    const Asked asked({name, "256x14336"});
    EXPECT_EQ(asked.options.atoms, 256);
    EXPECT_EQ(asked.options.replicas, 14336);
  }
  const Asked standard({}), small({"--size", "S"}), older({"--atoms", "108", "--replicas", "16"});
  EXPECT_EQ(to_json(standard.options, {{80}, {}}), to_json(small.options, {{80}, {}}));
  EXPECT_EQ(to_json(older.options, {{80}, {}}), to_json(small.options, {{80}, {}}));
  EXPECT_NE(fault_of_words({"--size", "M", "--atoms", "32"}).find("--size"), std::string::npos);
  EXPECT_NE(fault_of_words({"--size", "M", "--replicas", "32"}).find("--size"), std::string::npos);
  EXPECT_NE(fault_of_words({"--size", "32x"}).find("atoms of a replica x replicas"), std::string::npos);
}

TEST(Options, MakeAsManyReplicasAsStates) {
  Asked listed({"--temperatures", "80,90,100", "--pressures", "1,5"});
  fit_replicas(listed.line, listed.options);
  EXPECT_EQ(listed.options.replicas, 6);
  EXPECT_EQ(fault_of_words({"--temperatures", "80,90,100", "--size", "32x4"}),
            "the ladder has 3 states for 4 replicas; give --replicas 3");
  EXPECT_EQ(fault_of_words({"--pressures", "1,5", "--size", "32x5"}),
            "5 replicas do not share out over 2 pressures; give --replicas 6");
}

TEST(Options, AreRefusedRatherThanCutToAnInt) {
  EXPECT_NE(fault_of_words({"--barostat-every", "4294967298"}).find("--barostat-every 4294967298"),
            std::string::npos);
  EXPECT_NE(fault_of_words({"--replicas", "4294967298"}).find("--replicas 4294967298"), std::string::npos);
  EXPECT_NE(fault_of_words({"--size", "32x4294967298"}).find("--size 32x4294967298"), std::string::npos);
  Asked asked({});
  asked.options.barostat_every = 4294967298; // of a job.json
  EXPECT_NE(refusal([&] { asked.options.dynamics(); }).find("--barostat-every is 4294967298"),
            std::string::npos);
  asked.options.replicas = 4294967298;
  EXPECT_NE(refusal([&] { asked.options.check(); }).find("4294967298 replicas"), std::string::npos);
}

TEST(Options, OfARunAreThoseItWasBegunWith) {
  Asked begun({"--size", "32x4", "--seed", "7", "--steps", "400"});
  const std::string job = job_json(begun.options, begun.options.make_ladder());

  Asked later({"--steps", "800"});
  take_options(job, later.line, later.options);
  EXPECT_EQ(to_json(later.options, ladder_of(job)), to_json(begun.options, ladder_of(job)));
  EXPECT_EQ(later.options.steps, 800);

  Asked same({"--size", "32x4"}), other({"--size", "32x8", "--folder", "run"}), atoms({"--atoms", "108"});
  EXPECT_NO_THROW(take_options(job, same.line, same.options));
  EXPECT_NE(refusal([&] {
              take_options(job, other.line, other.options);
            }).find("--size 32x8, but the run in run was begun with XS"),
            std::string::npos);
  EXPECT_NE(refusal([&] { take_options(job, atoms.line, atoms.options); }).find("--atoms 108, but the run"),
            std::string::npos);
}

TEST(Options, AskForWholeIntervals) {
  EXPECT_EQ(fault_of_words({"--steps", "150"}),
            "--steps 150 is no multiple of --exchange-every 100; give --steps 200");
  EXPECT_NE(fault_of_words({"--steps", "400", "--checkpoint-every", "150"}).find("--checkpoint-every 200"),
            std::string::npos);
  EXPECT_NE(fault_of_words({"--thermostat", "none"}).find("--replicas 1"), std::string::npos);
  EXPECT_EQ(fault_of_words({"--thermostat", "none", "--replicas", "1"}), "");
}

} // namespace
} // namespace tasuki::argon
