"""Which packages are asked for on a machine that has nothing, and for what."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/install-packages"


def asked(tmp_path: Path, *words: str) -> set[str]:
    """What `apt-get install` is given where neither compilers nor headers are there."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "id", "mktemp", "rm", "cat", "dirname", "sed", "sort", "head", "env", "tr", "tail"):
        (tools / name).symlink_to(
            next(p for p in (Path("/usr/bin") / name, Path("/bin") / name) if p.exists())
        )
    log = tmp_path / "asked"
    for name, text in {
        "apt-get": f'echo "$@" >>{log}',
        "cmake": "echo cmake version 99",  # its version is read after the install, which installs none here
        "sudo": 'while [ "$1" = -n ]; do shift; done; exec "$@"',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    subprocess.run([SCRIPT, *words], check=True, env={"PATH": str(tools)}, capture_output=True, timeout=60)
    return {
        word for line in log.read_text().splitlines() for word in line.split() if not word.startswith("-")
    }


def test_images_have_what_programs_need(tmp_path: Path) -> None:
    names = asked(tmp_path, "programs")
    assert {"g++", "libopenmpi-dev", "libhdf5-dev", "libssl-dev", "python3-venv"} <= names
    assert not {"libgtest-dev", "libbenchmark-dev", "doxygen", "ccache"} & names


def test_tests_need_more(tmp_path: Path) -> None:
    assert {"g++", "libssl-dev", "libgtest-dev", "libbenchmark-dev", "ccache"} <= asked(tmp_path)


def test_the_site_needs_doxygen(tmp_path: Path) -> None:
    assert {"libgtest-dev", "doxygen"} <= asked(tmp_path, "docs")


def test_another_purpose_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([SCRIPT, "dosc"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2 and done.stderr == (
        "tasuki: packages for dosc are not known; give docs, programs or nothing\n"
    )


def test_images_are_made_by_one_script() -> None:
    recipes = [(ROOT / "docs/cluster" / name).read_text() for name in ("Dockerfile", "tasuki.def")]
    for text in recipes:
        assert "/tasuki/scripts/install-image && rm -rf /tasuki" in text
        assert not re.search("apt-get|pip|venv|-dev ", text)  # that is the script's
    paths = [re.search(r"PATH=(\S+) CMAKE_GENERATOR=Ninja", text) for text in recipes]
    assert paths[0] and paths[1] and paths[0][1] == paths[1][1]
    script = (ROOT / "scripts/install-image").read_text()
    assert '/scripts/install-packages" programs' in script
    for folder in paths[0][1].removesuffix(":$PATH").split(":"):
        assert folder in script
