"""Files: atomic writing, local and remote locations, named arrays, stored models."""
