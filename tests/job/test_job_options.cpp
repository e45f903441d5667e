// What a folder keeps of its run's options, and how a later part takes them from there.
#include <tasuki/base/error.hpp>
#include <tasuki/job/job_options.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tasuki::job {
namespace {

struct Options {
  double beta = 6;
  long seed = 1;
  bool smeared = false;
  std::string start = "hot";
  std::vector<std::string> files = {};
  long steps = 100;
  std::string folder = "results/run";
};

const JobOptions<Options> kJob = {"a-job",
                                  {{"beta", &Options::beta},
                                   {"seed", &Options::seed},
                                   {"smeared", &Options::smeared},
                                   {"start", &Options::start},
                                   {"files", &Options::files}},
                                  {{"steps", &Options::steps}}};

struct Given {
  Options options;
  OptionParser line{"test", "a test"};
  explicit Given(const std::vector<std::string>& words) {
    line.add("--beta", options.beta, "");
    line.add("--seed", options.seed, "");
    line.add("--smeared", options.smeared, "");
    line.add("--start", options.start, "");
    line.add("--files", options.files, "");
    line.add("--steps", options.steps, "");
    line.read(words);
  }
  std::string take(const std::string& text) {
    try {
      kJob.take(text, line, options);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  }
};

std::string job_of(Options options) {
  Json json = job_json(kJob.format, kJob.fixed_of(options));
  put_part(json, kJob.part_of(options));
  return json.dump(2);
}

const Options kBegun = {5.7, 1L << 53, true, "cold", {"a", "b c"}, 400, ""};

TEST(JobOptions, ComeBackAsTheyWere) {
  Given later({});
  EXPECT_EQ(later.take(job_of(kBegun)), "");
  EXPECT_EQ(later.options.beta, kBegun.beta);
  EXPECT_EQ(later.options.seed, kBegun.seed);
  EXPECT_TRUE(later.options.smeared);
  EXPECT_EQ(later.options.start, "cold");
  EXPECT_EQ(later.options.files, kBegun.files);
  EXPECT_EQ(later.options.steps, 400);
}

TEST(JobOptions, OfTheWholeRunMayNotChangeAndThoseOfAPartMay) {
  Given more({"--steps", "800", "--beta", "5.7"});
  EXPECT_EQ(more.take(job_of(kBegun)), "");
  EXPECT_EQ(more.options.steps, 800);
  EXPECT_EQ(more.options.seed, kBegun.seed);
  Given other({"--seed", "7"});
  EXPECT_EQ(other.take(job_of(kBegun)),
            "--seed 7, but the run in results/run was begun with 9007199254740992; "
            "leave the option out, or begin another run in another folder");
}

TEST(JobOptions, OfADamagedFileAreRefused) {
  Given asked({});
  EXPECT_NE(asked.take("{").find("job.json is damaged"), std::string::npos);
  EXPECT_NE(asked.take("{}").find("job.json is damaged"), std::string::npos);
  const std::string good = job_of(kBegun);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return asked.take(text);
  };
  EXPECT_NE(changed("a-job", "b-job").find("another version"), std::string::npos);
  EXPECT_NE(changed("\"version\": 1", "\"version\": 2").find("another version"), std::string::npos);
  EXPECT_NE(changed("9007199254740992", "1.5").find("seed"), std::string::npos);
  EXPECT_NE(changed("9007199254740992", "99999999999999999999").find("seed"), std::string::npos);
  EXPECT_NE(changed("\"cold\"", "3").find("job.json is damaged"), std::string::npos);
  EXPECT_NE(changed("last_part", "part").find("job.json is damaged"), std::string::npos);
}

TEST(JobOptions, HaveAFingerprint) {
  EXPECT_EQ(fingerprint("a"), static_cast<double>(0xaf63dc4c8601ec8cu >> 11)); // FNV-1a: checkpoints keep it
  EXPECT_NE(fingerprint("ab"), fingerprint("ba"));
  EXPECT_LT(fingerprint("anything"), 0x1p53);
}

} // namespace
} // namespace tasuki::job
