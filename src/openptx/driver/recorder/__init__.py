"""`openptx record`: a libcuda.so.1 in front of another driver, which writes launches down (docs/recordings.md)."""
