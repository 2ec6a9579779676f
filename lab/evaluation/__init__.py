"""The evaluation: declared experiments, their runs, and verdicts on what the papers print."""
