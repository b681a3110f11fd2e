"""What every test shares: no network, and how hard hypothesis looks for a counterexample."""

import os

import pytest
from hypothesis import settings

os.environ["LEARN_COMPACT_OFFLINE"] = "1"  # also for the interpreters and kernels that a test starts

# Derandomised: a failure here is a failure everywhere, and a green run stays green until the code changes.
settings.register_profile("default", derandomize=True, max_examples=200, deadline=None)
# `make soak`: new examples at every run, and many of them.
settings.register_profile("soak", derandomize=False, max_examples=20_000, deadline=None)
settings.load_profile("soak" if os.environ.get("LEARN_COMPACT_SOAK") == "1" else "default")


@pytest.fixture(scope="module")
def no_waiting_for_the_disk():
    """For modules that write hundreds of files: what is there after a crash is asked elsewhere (test_archive_crash)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
