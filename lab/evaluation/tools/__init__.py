"""Small tools for experiments: they derive tables from others, and measure what the program does not."""
