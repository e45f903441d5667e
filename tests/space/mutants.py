"""Breaks the room `tasuki/space`, and what reads its fields anywhere, in ways that tests have to notice.

mutants.py BUILD [--quick] [NAME ..]: a build folder of Ninja in which test_space is built. Nothing in it or
in the sources is changed: a mutant is compiled beside them and linked before the library. Some minutes; with
--quick, as the tests run it, those mutants alone whose test is named here, against that test. Ends with 0
where each turns a test red, and every other still finds its place in the sources.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = shlex.split(os.environ.get("TASUKI_MPIEXEC", "mpirun --quiet --oversubscribe --bind-to none -n"))

THROW = ["--gtest_throw_on_failure", "--gtest_color=no"]


@dataclass
class Mutant:
    """`old` of a source, of the room or as ROOM/SOURCE of another, becomes `new`."""

    name: str
    source: str
    old: str
    new: str
    test: str = ""  # one that notices it quickly


MUTANTS = [
    Mutant(
        "a twin is not taken",
        "cache.cpp",
        "    range_.write_twins(page, range_.page(page), (next - page) * range_.page_bytes());",
        "",
        test="Litmus.WritersOfDifferentBytesOfAPageDoNotDisturbEachOther",
    ),
    Mutant(
        "a notice is lost",
        "sync.cpp",
        "drops[rank].push_back(page);",
        "static_cast<void>(rank);",
        test="Litmus.WhatIsWrittenBeforeIsSeenAfter",
    ),
    Mutant(
        "a stale page is kept",
        "cache.cpp",
        "move(page, Page::clean, Page::absent)) return;",
        "held(page)) return;",
        test="Litmus.WhatIsWrittenBeforeIsSeenAfter",
    ),
    Mutant(
        "a run is a byte short",
        "diff.cpp",
        "page + run.at, from, run.count)",
        "page + run.at, from, run.count - 1)",
        test="Locking.CarriesWhatWasWrittenUnderTheLock",
    ),
    Mutant(
        "an atomic act is done twice",
        "server.cpp",
        "case Ask::compare: put(",
        "case Ask::compare: act_on(range_.page(0) + head.number, head); put(",
    ),
    Mutant(
        "a reply comes twice, and is taken for the next question's",
        "channel/post.cpp",
        "              post_.replies_, &one.request);\n    return Work::some;",
        "              post_.replies_, &one.request);\n    MPI_Request again;\n"
        "    MPI_Isend(one.reply.data(), static_cast<int>(one.reply.size()), MPI_BYTE, one.from,\n"
        "              one.tag + 1, post_.replies_, &again);\n    MPI_Request_free(&again);\n"
        "    return Work::some;",
        test="Locking.Atomic*",
    ),
    Mutant(
        "a home's writes go unnoticed",
        "home.cpp",
        "std::exchange(sent.settled, false) && std::memcmp",
        "std::exchange(sent.settled, false) && 0 * std::memcmp",
    ),
    Mutant(
        "what was settled once counts as settled",
        "home.cpp",
        "!std::exchange(sent.settled, false)",
        "!sent.settled",
        test="Home.AppliesAtOnce*",
    ),
    Mutant(
        "what two nodes wrote is applied as it comes",
        "home.cpp",
        "found->second.nodes == bit(node) && ",
        "",
    ),
    Mutant(
        "pages stay writable",
        "cache.cpp",
        "faults_.protect(run.first, run.count);",
        "static_cast<void>(run);",
    ),
    Mutant(
        "views stay as they were",
        "cache.cpp",
        "faults_.unmap(run.first, run.count); });\n  by_runs(w",
        "}); by_runs(w",
    ),
    Mutant(
        "copies that differ are not told apart",
        "home.cpp",
        "sent.changed = std::memcmp",
        "sent.changed = 0 * std::memcmp",
    ),
    Mutant("the lower node's value stands", "home.cpp", "a.node < b.node", "a.node > b.node"),
    Mutant(
        "nothing is refreshed under a lock",
        "locking.cpp",
        "if (cache) cache->refresh(",
        "if (reply.empty()) cache->refresh(",
    ),
    Mutant(
        "a busy page is waited for with others taken",
        "cache.cpp",
        "if (is == Page::busy && busy.empty()) {",
        "if (is == Page::busy) {",
    ),
    Mutant(
        "of pages that are refreshed together each is the first",
        "cache.cpp",
        "take_in(busy[k], was[k], fresh.data() + k * bytes);",
        "take_in(busy[k], was[k], fresh.data());",
        test="Cache.Refreshes*",
    ),
    Mutant(
        "who waits for a lock asks again and again",
        "locking.cpp",
        "while (!grants.wait(ticket, std::chrono::milliseconds(500)))",
        "while (!core.ask_for_lock(number, ticket))",
        test="Locking.AsksNobody*",
    ),
    Mutant(
        "who waits for a lock is not told",
        "server.cpp",
        "head.node, pages)) grant(*next);",
        "head.node, pages)) static_cast<void>(*next);",
    ),
    Mutant(
        "a field of a space that does not fit is swept where it lies",
        "field.cpp",
        "  bool outside() const override { return outside_; }\n",
        "",
    ),
    Mutant("nothing is settled under a lock", "locking.cpp", "pages = core.cache->settle_all();", ""),
    Mutant("own changes under a lock go unnoticed", "home.cpp", "changed.push_back(page);", ""),
    Mutant(
        "held pages are not brought up to date", "cache.cpp", "apply(patch, range_.page(patch.page));", ""
    ),
    Mutant(
        "what a full cache gives back is lost",
        "cache.cpp",
        "supply_.settle(home, std::move(out));\n    std::sort(",
        "static_cast<void>(out);\n    std::sort(",
    ),
    Mutant(
        "a section ends a page early",
        "section.cpp",
        "(run.at + run.count - 1) / page_bytes + 1;",
        "(run.at + run.count - 1) / page_bytes;",
    ),
    Mutant(
        "a home's twins are not taken",
        "home.cpp",
        "      range_.write_twins(end - fresh",
        "      if (end == 0) range_.write_twins(end - fresh",
    ),
    Mutant(
        "twins of pages that nobody has are not taken",
        "home.cpp",
        "  range_.write_twins(run.first, range_.page(run.first), run.count * range_.page_bytes());",
        "",
    ),
    Mutant(
        "pages that come in place come to the next",
        "server.cpp",
        "range_.page(parts[0].pages.first);",
        "range_.page(parts[0].pages.first + 1);",
    ),
    Mutant(
        "pages arrive without their last bytes",
        "server.cpp",
        "from, part.pages.count * page);",
        "from, part.pages.count * page - 8);",
    ),
    Mutant(
        "cells lie with the next rank",
        "field/cells.cpp",
        "field.anywhere(rank);",
        "field.anywhere((rank + 1) % static_cast<int>(blocks.size()));",
    ),
    Mutant(
        "cells that a sweep reads stay where they lay before a swap",
        "field/cells.cpp",
        "try_emplace(field.memory_id())",
        "try_emplace(0)",
    ),
    Mutant(
        "a field is read anywhere before all have written it",
        "program/rules.cpp",
        "const bool stale = ",
        "const bool stale = seen == Everywhere::in_use && ",
    ),
    Mutant(
        "a field is written while others read it",
        "program/rules.cpp",
        "const bool in_use = ",
        "const bool in_use = seen == Everywhere::stale && ",
    ),
    Mutant(
        "cells stay where a field lay before a swap",
        "cells.cpp",
        "  space_.sync();\n  find();",
        "  space_.sync();",
    ),
    Mutant(
        "neighbours store halos elsewhere",
        "field.cpp",
        "return of(rank);",
        "return of(space_.world().rank());",
    ),
    Mutant(
        "a field's halo stays as it was when an array is copied to it",
        "field.cpp",
        "if (way == Way::to_field) field.validity().touched();",
        "",
    ),
    Mutant(
        "a home that tells answers nobody",
        "home.cpp",
        "lock.unlock();\n    for (const auto& [node, held] : told) "
        "tell(node, page, held ? &patch : nullptr);\n"
        "    lock.lock();",
        "for (const auto& [node, held] : told) tell(node, page, held ? &patch : nullptr);",
    ),
    Mutant(
        "places of the list name what stood there before",
        "pages.cpp",
        "std::exchange(list_[k], 0)",
        "list_[k]",
    ),
    Mutant("what a full cache gave back under a lock is forgotten", "cache.cpp", "pages_.early(page);", ""),
    Mutant(
        "more is asked for a touch that has been served",
        "cache.cpp",
        "if (why == Why::fault)\n      std::erase_if(",
        "if (runs.empty())\n      std::erase_if(",
    ),
    Mutant(
        "what the system takes out of a view stays out",
        "pager.cpp",
        "if (cache_.show_again(touch.page, touch.write)) continue;",
        "",
    ),
    Mutant(
        "owners are those of the next element",
        "map.cpp",
        "element / stride % extents_[a]);",
        "(element + 1) / stride % extents_[a]);",
    ),
    Mutant(
        "what was written to copies in devices is lost",
        "device_cache.cpp",
        "for (const Patch& patch : patches) apply(patch, now.data());",
        "",
    ),
    Mutant(
        "copies in devices that are held stay as they were",
        "device_cache.cpp",
        "  fetch(held);",
        "",
    ),
    Mutant(
        "two pages that an instruction needs take each other's place",
        "cache.cpp",
        "touched_.end(), page) != touched_.end()",
        "touched_.end(), page) != touched_.end() && limit_ == 0",
    ),
    Mutant(
        "copies of an array over devices that has ended are taken for the next one's",
        "device_arrays.cpp",
        "  if (cache_)\n    cache_->forget(",
        "  if (cache_ && addresses_.step() == 0)\n    cache_->forget(",
    ),
    Mutant(
        "what is copied into a copy over devices does not go home",
        "devices.cpp",
        "if (has(to)) preload(to, bytes, true);",
        "if (has(to)) preload(to, bytes, false);",
    ),
    Mutant(
        "a run of a mask is a byte short",
        "diff.cpp",
        "copy_few(page + 8 * k + at, from, count);",
        "copy_few(page + 8 * k + at, from, count - 1);",
        test="Litmus.WhatIsWrittenBeforeIsSeenAfter",
    ),
    Mutant(
        "a synchronisation does not wait until homes have taken in what was written over devices",
        "sync.cpp",
        '  copies.take_in();\n  barrier(world, "the other ranks to take in what was written over devices");\n'
        "  copies.refresh(drop);",
        "  copies.refresh(drop);\n  copies.take_in();",
    ),
    Mutant(
        "a neighbour's planes are read before it says that they are there",
        "channel/peer.cpp",
        "  if (!stored_) store(stream);\n  await(device_, stream, full_here_, turn_, ",
        "  if (!stored_) store(stream);\n  if (turn_ == 0) await(device_, stream, full_here_, turn_, ",
        test="Direct.HasTheBits*",
    ),
    Mutant(
        "planes are written that a neighbour still reads",
        "program/rules.cpp",
        "for (const Need& need : meeting_before(written, state)) needs.push_back(need);",
        "static_cast<void>(written);",
        test="Direct.Neighbours*",
    ),
    Mutant(
        "all but a cell's reach is written before the neighbour has come",
        "program/rules.cpp",
        "  if (grid.direct)\n    within[slowest] =",
        "  if (grid.direct && slowest < 0)\n    within[slowest] =",
    ),  # by chance: a rank has to be late at the right cell
]


def last_command(build: Path, target: str) -> str:
    """What Ninja runs to make it."""
    commands = subprocess.run(
        ["ninja", "-C", str(build), "-t", "commands", target], capture_output=True, text=True, check=True
    )
    return commands.stdout.strip().splitlines()[-1]


def place(mutant: Mutant) -> str:
    """Its source below `tasuki/`."""
    return mutant.source if "/" in mutant.source else f"space/{mutant.source}"


def lost(mutant: Mutant) -> str:
    """Why it can not be made: empty where its place in the sources is there."""
    text = (ROOT / "tasuki" / place(mutant)).read_text()
    return "" if mutant.old in text else "its text is not in the source: mend the list"


def noticed(mutant: Mutant, build: Path, folder: Path, test: str) -> str:
    """What became of it: empty where a test, or the one that is given, turned red."""
    source = ROOT / "tasuki" / place(mutant)
    text = source.read_text()
    changed = folder / source.name
    changed.write_text(text.replace(mutant.old, mutant.new, 1))
    target = f"tasuki/CMakeFiles/tasuki.dir/{place(mutant)}.o"
    made = folder / "mutant.o"
    compile_it = last_command(build, target).replace(f"-o {target}", f"-o {made} -w")
    words = shlex.split(compile_it)
    words = [str(changed) if word.endswith(f"tasuki/{place(mutant)}") else word for word in words]
    words = [word for word in words if not word.endswith(".d") and word not in ("-MD", "-MT", "-MF")]
    words = [word for word in words if word != target]
    subprocess.run(words, cwd=build, check=True)
    program = folder / "test_space"
    link = last_command(build, "bin/test_space").replace("-o bin/test_space", f"{made} -o {program}")
    subprocess.run(link, cwd=build, check=True, shell=True)
    environment = {**os.environ, "TASUKI_PROGRESS": "none", "TASUKI_TUNING": "none"}
    try:
        done = subprocess.run(
            [*LAUNCHER, "2" if test else "4", str(program), f"--gtest_filter={test or '*'}", *THROW],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        return ""  # a test that never ends is red
    if test and "[ RUN      ]" not in done.stdout:
        return f"there is no test {test}"
    return "no test noticed" if done.returncode == 0 else ""


def main() -> int:
    """A line a mutant."""
    build, names = Path(sys.argv[1]).resolve(), [name for name in sys.argv[2:] if name != "--quick"]
    quick = "--quick" in sys.argv
    alive = 0
    whole = subprocess.run(
        [*LAUNCHER, "2", str(build / "bin/test_space"), "--gtest_filter=Litmus.WhatIs*", *THROW],
        capture_output=True,
        check=False,
    )
    if whole.returncode != 0:
        print("what is not broken turns a test red already: mend that first")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for mutant in MUTANTS:
            if names and mutant.name not in names:
                continue
            why = lost(mutant)
            if not why and quick and not mutant.test:
                continue
            why = why or noticed(mutant, build, Path(folder), mutant.test if quick else "")
            alive += bool(why)
            print(f"{mutant.name}: {why or 'noticed'}", flush=True)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
