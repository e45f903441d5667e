// All of Tasuki that most programs need: worlds, grids, fields, sweeps, reductions, programs, runs, checkpoints.
//
//   const ts::Sweep relax = ts::sweep(Relax{}, grid.inner(1), ts::reads(u, ts::star(1)), ts::writes(v));
//   ts::run(ts::program(relax, ts::swap(u, v)), {.times = 1000});
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
