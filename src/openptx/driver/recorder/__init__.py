"""`openptx record`: a libcuda.so.1 in front of another driver that records launches (docs/recordings.md)."""
