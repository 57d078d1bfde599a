"""Waiting for something to become true, always with a deadline."""

import time

STEP_S = 0.02
# Of what has been waited for already: many questions run a program, and who waits for half a minute
# need not ask fifty times a second.
STEP_SHARE = 0.05
STEP_MAX_S = 0.25


def until(question, within, what):
    """Asks until the answer is true, ever more rarely, and returns it. `what` may be a text or a
    function."""
    begin = time.monotonic()
    deadline = begin + within
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > deadline:
            text = what() if callable(what) else what
            raise AssertionError(f"not within {within} s: {text}")
        waited = time.monotonic() - begin
        time.sleep(min(STEP_MAX_S, max(STEP_S, STEP_SHARE * waited)))


def always(question, during, what):
    """Asks during the whole time; the answer must never be false.

    For claims that something does *not* happen. Keep `during` short, and wait first for a sign
    that the program has looked at the matter.
    """
    deadline = time.monotonic() + during
    while time.monotonic() < deadline:
        if not question():
            raise AssertionError(what() if callable(what) else what)
        time.sleep(STEP_S)
