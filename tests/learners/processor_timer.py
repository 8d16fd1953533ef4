"""A signal after so many seconds of the processor, by the very clock that `time.process_time` reads.

`signal.setitimer(ITIMER_PROF)` counts ticks of the system's clock instead: on a busy virtual machine it came after
nearly twice the time that it was set to, and what was late then was the timer.
"""

from __future__ import annotations

import ctypes
import time
from functools import cache


class _TimerSpec(ctypes.Structure):
    _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "after_s", "after_ns")]


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _timer() -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    if _library().timer_create(time.CLOCK_PROCESS_CPUTIME_ID, None, ctypes.byref(made)) != 0:
        raise OSError(ctypes.get_errno(), "no timer")
    return made


def alarm_after(seconds: float) -> None:
    """Send SIGALRM to this process after so many seconds of its processor time, all threads together; 0: not at all."""
    spec = _TimerSpec(0, 0, int(seconds), int(seconds % 1 * 1e9))
    if _library().timer_settime(_timer(), 0, ctypes.byref(spec), None) != 0:
        raise OSError(ctypes.get_errno(), "the timer was not set")
