"""Renders results of the evaluation as one HTML page that needs nothing else."""
