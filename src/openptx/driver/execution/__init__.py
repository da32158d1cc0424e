"""Execution control: functions, launches and their parameters, occupancy, clusters."""
