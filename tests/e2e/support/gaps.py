"""What is known not to work yet, test by test, with the reason. The list only shrinks: a test here
that passes fails the run."""

_EMBEDDED = {}

_EVERYWHERE = {}


def on(backend, nodeid):
    """Why this test cannot pass on this backend yet, or None."""
    known = {**_EVERYWHERE, **(_EMBEDDED if backend == "embedded" else {})}
    for test, reason in known.items():
        if nodeid.endswith(test) or f"{test}[" in nodeid:
            return reason
    return None
