"""From what is handed over to a table: files, data frames, lists, pairs, matrices and graphs."""
