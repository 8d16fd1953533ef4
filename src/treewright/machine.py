"""What the machine gives this process: processors to run on, and memory that it may still take."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_NO_LIMIT = 2**60  # what the first version of control groups says for "no limit" is larger


def processors() -> int:
    """How many processors this process may use: those it is bound to, and no more than its control group pays for.

    Examples
    --------
    >>> processors() >= 1
    True
    """
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(bound, *(math.ceil(share) for share in _processor_shares()), bound))


def free_memory() -> int:
    """How many bytes this process may still take: the least of what the machine has, its control group, its own limit.

    Memory that only keeps files ready to be read again counts as free, and so does swap. Where the system does not
    tell, there is no limit.

    Examples
    --------
    >>> free_memory() > 2**20
    True
    """
    return max(0, min(_left_on_the_machine(), _left_in_the_groups(), _left_in_the_process()))


def _left_on_the_machine() -> int:
    try:
        told = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        return sum(int(told[name].split()[0]) * 1024 for name in ("MemAvailable", "SwapFree"))
    except (OSError, KeyError, ValueError, IndexError):
        pass
    try:  # elsewhere all that there is: what is free is told only by programs
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


# Control groups: a container's limits. Each group also has those of the groups that it is in.


def _group_folders(controller: str) -> Iterator[Path]:
    """The folders of the groups of this process, from its own to the root, in either version."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number != "0" and controller not in controllers.split(","):
            continue
        root = _CONTROL_GROUPS if number == "0" else _CONTROL_GROUPS / controller
        inside = root / path.lstrip("/")
        # In a container the path may be that of the machine outside, of which only the root can be seen.
        yield from (folder for folder in (inside, *inside.parents) if folder == root or root in folder.parents)


def _number_in(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):  # "max" is no number
        return None


def _left_in_the_groups() -> int:
    left = sys.maxsize
    for folder in _group_folders("memory"):
        for most, used, kept in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit, taken = _number_in(folder / most), _number_in(folder / used)
            if limit is not None and taken is not None and limit < _NO_LIMIT:
                left = min(left, limit - max(0, taken - _kept_of_files(folder, kept)))
    return left


def _kept_of_files(folder: Path, name: str) -> int:
    try:
        told = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return int(told.get(name, 0))
    except (OSError, ValueError):
        return 0


def _processor_shares() -> Iterator[float]:
    """How many processors each group may keep busy, where that is limited."""
    for folder in _group_folders("cpu"):
        try:
            quota, period = (folder / "cpu.max").read_text().split()
        except (OSError, ValueError):
            quota, period = str(_number_in(folder / "cpu.cfs_quota_us")), str(_number_in(folder / "cpu.cfs_period_us"))
        if quota.isdecimal() and period.isdecimal() and int(period):
            yield max(int(quota), 1) / int(period)


def _left_in_the_process() -> int:
    """What `ulimit -v` leaves."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return sys.maxsize
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return most - pages * resource.getpagesize()
    except (ImportError, AttributeError, OSError, ValueError):
        return sys.maxsize
