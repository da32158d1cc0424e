"""Memory: allocations, pools, virtual memory, copies and fills, memory of other processes."""
