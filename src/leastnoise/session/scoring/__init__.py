"""Private scores of a fitted model, charged before the model sees a row."""
