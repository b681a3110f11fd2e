"""Conversations that other programs wrote: found on this machine, read, and written for a program to go on with."""

from learn_compact.conversations.conversation import Compaction, Conversation, Origin, Segment, fixed_parts, requests_of
from learn_compact.conversations.find import Found, find
from learn_compact.conversations.load import load
from learn_compact.conversations.save import save

__all__ = ["Compaction", "Conversation", "Found", "Origin", "Segment", "find", "fixed_parts", "load",
           "requests_of", "save"]
