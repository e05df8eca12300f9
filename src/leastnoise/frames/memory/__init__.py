"""Tables whose columns are arrays: groups, conditions, and the summaries of all requests."""
