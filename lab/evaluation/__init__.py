"""The evaluation: declared experiments, their runs, and verdicts on the papers' claims."""
