"""HTML pages: skeleton, assets and static resources, for single files and for servers."""
