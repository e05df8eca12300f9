"""NOT PRIVATE. What a curator looks at before a release: how data reads, and the cures."""
