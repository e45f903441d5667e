"""What a machine is called where its measurements are kept."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tasuki.launch import cores


def gpu_names() -> list[str]:
    """The GPUs of this host by name."""
    tool = shutil.which("nvidia-smi")
    if not tool:
        return []
    command = [tool, "--query-gpu=name", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line.strip() for line in done.stdout.splitlines() if line.strip()] if done.returncode == 0 else []


def cpu_name() -> str:
    """The processor, as the kernel calls it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1) if match else "cpu"


def machine_name(gpus: Sequence[str]) -> str:
    """A folder name for this machine: its GPUs, or its processor and cores."""
    text = f"{len(gpus)} x {gpus[0]}" if gpus else f"{cpu_name()} {cores()} cores"
    text = re.sub(r"\((R|TM|tm)\)|\bCPU\b|@.*?(?= \d+ cores|$)", " ", text)
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
