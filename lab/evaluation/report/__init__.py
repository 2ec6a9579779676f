"""Renders results of the evaluation as one self-contained HTML page."""
