"""Work that is done once and shared: keys of results, checkpoint folders, worker processes."""
