"""Analyses of a kernel: functions from a program to facts, which emission reads."""
