"""Ways of making room, one per file: each is a pure function from messages to messages.

A layer never changes what it is given, shares every message that it leaves alone, and gives back its input where it
finds nothing to do. It does its work whenever it is called: when to call it belongs to a step of a pipeline.
"""
