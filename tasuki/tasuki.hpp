// All of Tasuki.
#pragma once

#include <tasuki/base/world.hpp>
#include <tasuki/device/kernel/unrolled.hpp>
#include <tasuki/field/copy_field.hpp>
#include <tasuki/field/field.hpp>
#include <tasuki/field/grid.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/program/program.hpp>
#include <tasuki/program/reduction.hpp>
#include <tasuki/program/sweep.hpp>
#include <tasuki/run/run.hpp>
