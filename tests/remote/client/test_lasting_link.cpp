// A device with spares: who comes in for a GPU that is broken, for a fault that is the program's own, and who is passed over.
#include <gtest/gtest.h>

#include "memory_house.hpp"

using namespace tasuki::remote;

namespace {

// A GPU reports that its memory is broken, or its kernel a fault; the spare that makes the same calls does not.
TEST(LastingLink, ASpareComesInForAGpuThatReportsWhatTheSpareDoesNot) {
  for (const Status fault : {Status::ecc_uncorrectable, Status::launch_failure}) {
    Trial broken;
    broken.faults = 3;
    broken.fault = fault;
    House house;
    house.spares->add(house.place("b:0"));
    house.open(house.place("a:0", broken));
    testing::internal::CaptureStderr();
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::Launch{});
    house.device->post(call::Launch{}); // of number 3
    const auto got = house.read();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(got, after(2));
    EXPECT_EQ(house.workers[1]->launches, 2);
    const std::string why = "b:0 comes in for a:0 (it reported error " +
                            std::to_string(static_cast<int>(fault)) + ", and the spare did not)";
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_EQ(house.trouble, 0);
    EXPECT_EQ(house.lost, "");
    EXPECT_FALSE(house.spares->take());
  }
}

// It comes again on the spare, so it is the program's: told once, and the spare is free again.
TEST(LastingLink, AFaultThatComesAgainIsTheProgramsAndUsesUpNoSpare) {
  for (const Status fault : {Status::ecc_uncorrectable, Status::launch_failure}) {
    Trial broken;
    broken.faults = 3;
    broken.fault = fault;
    House house;
    Spare spare = house.place("b:0", broken);
    spare.open = [&house] { return house.place("b:0").visit; };
    house.spares->add(std::move(spare));
    house.open(house.place("a:0", broken));
    house.device->post(call::Fill{0, all, 5, 0});
    house.device->post(call::Launch{});
    house.device->post(call::Launch{}); // of number 3
    try {
      house.read();
      ADD_FAILURE() << "the fault is not told";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.status(), fault);
    }
    EXPECT_EQ(house.trouble, static_cast<int>(fault));
    EXPECT_EQ(house.lost, "");
    EXPECT_TRUE(house.spares->take());
  }
}

// The program holds addresses of variables, so a spare whose driver has put them elsewhere is none. With an image they are asked
// before its bytes go to them, else as the log is played.
TEST(LastingLink, ASpareWithAVariableElsewhereIsPassedOver) {
  const std::string module =
      ".version 8.0\n.target sm_75\n.visible .global .align 8 .u64 total;\n.visible .entry k() { ret; }\n";
  for (const bool image : {false, true})
    for (const bool another : {true, false}) {
      Trial elsewhere;
      elsewhere.variable = 128;
      House house;
      house.spares->add(house.place("b:0", elsewhere));
      if (another) house.spares->add(house.place("c:0"));
      const std::size_t first = house.workers.size();
      house.open(house.place("a:0"), image ? often : Imaging::Rule{});
      house.device->post(call::Map{0, all});
      house.device->post(call::ModuleBytes{9, module.size(), 0}, {module.data(), module.size()});
      house.device->ask<answer::Done>(call::Load{9});
      EXPECT_EQ(house.device->ask<answer::Variable>(call::FindVariable{9, "total"}).address, 64u);
      house.device->post(call::Fill{0, all, 5, 0});
      house.device->post(call::Launch{});
      if (image) {
        EXPECT_EQ(house.read(), after(1)); // so the image that comes next has the launch
        house.wait_for_image(first, house.workers[first]->copies);
      }
      house.workers[first]->end();
      if (another) {
        EXPECT_EQ(house.read(), after(1));
        EXPECT_EQ(house.lost, "");
        EXPECT_LE(house.workers[1]->launches, image ? 0 : 1) << "it played the log from its beginning";
      } else {
        EXPECT_THROW(house.read(), Failure);
        EXPECT_NE(house.end_of_lost().find("and no spare is left"), std::string::npos) << house.lost;
      }
    }
}

} // namespace
