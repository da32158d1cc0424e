"""Streams, events, and the capture of streams into graphs."""
