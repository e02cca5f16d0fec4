"""Work that processes share: keys of results, and a pool of workers."""
