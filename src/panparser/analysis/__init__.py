"""Analysis of predictions; needs the extra `analysis`."""
