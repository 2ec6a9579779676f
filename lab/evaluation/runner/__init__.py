"""Runs the cases of experiments and writes one result file for each case and pass."""
