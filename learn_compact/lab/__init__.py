"""Measuring: how well a rule does on real conversations, all in the same way."""

from learn_compact.lab.accuracy import absolute_error, growth_error, request_sizes

__all__ = ["absolute_error", "growth_error", "request_sizes"]
