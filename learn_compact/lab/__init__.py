"""Measuring: estimates held against the API's count, and policies tried on one task, all in the same way."""

from learn_compact.lab.accuracy import absolute_error, growth_error, request_sizes
from learn_compact.lab.trial import Trial, trial

__all__ = ["Trial", "absolute_error", "growth_error", "request_sizes", "trial"]
