"""OpenPTX beside a real GPU: the driver, launches in a process of their own, and tests that run on both."""
