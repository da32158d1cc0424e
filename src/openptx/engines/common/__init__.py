"""What both engines share: call sites, analyses, the texts of faults."""
