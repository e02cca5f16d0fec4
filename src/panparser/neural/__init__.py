"""Training of networks with torch, which only this room imports."""
