"""Predicted times of a step: asked of the native tasuki-model, held against what was measured, shown."""
