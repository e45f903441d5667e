// The size of a run, as in --size: atoms per replica x replicas, 256x14336, or a name.
#pragma once

#include <tasuki/job/size.hpp>

namespace tasuki::argon {

inline const job::Sizes kSizes = {
    2,
    1,
    {{"XS", {32, 4}}, {"S", {108, 16}}, {"M", {256, 512}}, {"L", {256, 14336}}, {"XL", {2048, 14336}}},
    "",
    "atoms of a replica x replicas",
    "256x16"};

} // namespace tasuki::argon
