"""What both engines say or decide: call sites, the texts of faults."""
