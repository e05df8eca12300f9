"""What airspeed velocity tracks from commit to commit: time, memory and exact expected error.

asv run            every benchmark at this commit (asv comes with the dependency group bench)
asv publish        the history as pages
"""
