"""How well a model predicts: losses, confusion matrices, R2 and the area under the ROC curve."""
